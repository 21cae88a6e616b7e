import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { after, afterEach, before, test } from "node:test";
import { join } from "node:path";
import { code, columnsPDF, folder, japanesePDF, longPDF, oddPDF, scanPDF, table } from "./fixtures.mjs";
import { closeBrowser, Models, Service, Tab } from "./harness.mjs";
import { pixelsOf } from "./pixels.mjs";

const shared = process.env.INLAY_REFERENCE_DATA ?? new URL("../../../../shared/data", import.meta.url).pathname;
const hasTesseract = spawnSync("tesseract", ["--version"]).status === 0;
let models, service, tab, docs;

before(async () => {
  models = await new Models().start();
  models.window = 16000;
  service = await new Service({ models }).start();
  docs = await folder({
    "long.pdf": longPDF(40),
    "odd.pdf": oddPDF(),
    "columns.pdf": columnsPDF(),
    "japanese.pdf": japanesePDF(),
    "table.csv": table,
    "tide.go": code,
    "letter.eml":
      "From: ann@example.org\nTo: bob@example.org\nSubject: Berth\nContent-Type: text/html\n\n<p>Your berth is <b>number nine</b>.</p><script>globalThis.stolen=1</script>",
    "picture.png": Buffer.from(
      "iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAF0lEQVR42mP8z8BQz0AEYBxVSF+FABJADveWkH6oAAAAAElFTkSuQmCC",
      "base64",
    ),
  });
});

afterEach(async () => {
  const wrong = tab ? await tab.wrong() : [];
  await tab?.close();
  tab = null;
  assert.deepEqual(wrong, [], "no console errors, violations or requests to elsewhere");
});

after(async () => {
  await closeBrowser();
  await service.remove();
  models.stop();
});

const open = async (how) => (tab = await Tab.open(service.url, how));

/** cite asks of files as passages and opens the first. */
async function cite(question, ...names) {
  await tab.attach(...names.map((n) => (n.startsWith("/") ? n : join(docs, n))));
  for (const m of await tab.page.locator(".file .mode").all()) await m.selectOption("retrieval");
  await tab.ask(question);
  await tab.page.locator(".sources button").first().click();
  await tab.page.locator(".source").waitFor();
}

/** The passage that is shown, by what the service says of it. */
async function shown() {
  const chat = await tab.page.evaluate(() => location.hash.split("/")[2]);
  const whole = await (await fetch(`${service.url}/v1/chats/${chat}`)).json();
  return whole.history.messages.findLast((m) => m.injected)?.injected.citations;
}

const drawn = () => tab.page.locator('.page canvas[data-drawn="true"]').first().waitFor();

test("a PDF opens at the page, and the passage is marked", async () => {
  await open();
  await cite("Who checks the anchor number 25?", "long.pdf");
  await tab.page.locator(".overlay .mark").first().waitFor();
  await drawn();
  const [c] = await shown();
  const inView = await tab.page
    .locator(`.page[data-page="${c.page}"] .mark`)
    .first()
    .evaluate((m) => {
      const r = m.getBoundingClientRect();
      const box = m.closest(".pdf").getBoundingClientRect();
      return r.top >= box.top && r.bottom <= box.bottom;
    });
  assert.ok(inView, "the mark is in view");
});

test("only pages near the view are drawn", async () => {
  await open();
  await cite("Who checks the anchor number 25?", "long.pdf");
  await drawn();
  await tab.page.locator(".pdf").evaluate(async (box) => {
    for (let i = 0; i < 20; i++) {
      box.scrollTop = (box.scrollHeight * i) / 20;
      await new Promise((done) => setTimeout(done, 40));
    }
  });
  await tab.page.waitForFunction(() => document.querySelectorAll(".page canvas").length <= 6);
});

test("next and previous passage, by buttons and by keys", async () => {
  await open();
  await cite("Who checks the anchor, the rudder and the compass?", "long.pdf");
  const at = () => tab.page.locator(".source-steps span").innerText();
  const first = await at();
  assert.match(first, /^1 \/ [2-9]/);
  await tab.page.click('[aria-label="Next passage (])"]');
  assert.notEqual(await at(), first);
  await tab.page.keyboard.press("[");
  assert.equal(await at(), first);
  await tab.page.keyboard.press("[");
  assert.match(await at(), /^([2-9]) \/ \1/);
});

test("zoom keeps the passage in view", async () => {
  await open();
  await cite("Who checks the anchor number 25?", "long.pdf");
  await drawn();
  const width = () =>
    tab.page
      .locator(".page")
      .first()
      .evaluate((p) => p.clientWidth);
  const before = await width();
  await tab.page.click('[aria-label="Zoom in"]');
  await tab.page.waitForFunction((w) => document.querySelector(".page").clientWidth > w * 1.2, before);
  const [c] = await shown();
  await tab.page.waitForFunction((n) => {
    const r = document.querySelector(`.page[data-page="${n}"] .mark`).getBoundingClientRect();
    const box = document.querySelector(".pdf").getBoundingClientRect();
    return r.top >= box.top && r.bottom <= box.bottom;
  }, c.page);
  await tab.page.click('[aria-label$="fit the width"]');
  await tab.page.waitForFunction((w) => document.querySelector(".page").clientWidth === w, before);
});

test("search in a PDF goes from hit to hit", async () => {
  await open();
  await cite("Who checks the anchor number 25?", "long.pdf");
  await tab.page.keyboard.press("/");
  await tab.page.fill(".search input", "lantern number");
  await tab.page.waitForFunction(() => /1 of \d+/.test(document.querySelector(".search .muted").textContent));
  await tab.page.locator('.page[data-page="8"] .mark').first().waitFor();
  await tab.page.keyboard.press("Enter");
  await tab.page.waitForFunction(() => /2 of/.test(document.querySelector(".search .muted").textContent));
  await tab.page.fill(".search input", "no such words anywhere");
  await tab.page.locator(".search :text('Not found')").waitFor();
});

test("the text of a PDF can be selected", async () => {
  await open();
  await cite("Who checks the anchor number 25?", "long.pdf");
  await drawn();
  await tab.page.waitForFunction(() =>
    /checked every/.test(document.querySelector(".page:has(.mark) .textLayer")?.textContent ?? ""),
  );
});

test("a CSV file is a table with the row marked", async () => {
  await open();
  await cite("Which height has vessel 237?", "table.csv");
  await tab.page.locator("tr.marked").first().waitFor();
  assert.match((await tab.page.locator("tr.marked").allInnerTexts()).join("\n"), /vessel 237/);
  assert.match(await tab.page.locator(".table-box th").first().innerText(), /name/);
});

test("code has line numbers, and the lines are marked", async () => {
  await open();
  await cite("What is the rise of hour 41, Rise41?", "tide.go");
  await tab.page.locator(".source mark").first().waitFor();
  const lines = await tab.page.locator(".line:has(mark) .line-number").allInnerTexts();
  const [c] = await shown();
  assert.ok(lines.map(Number).every((n) => n >= c.line_start && n <= c.line_end));
  assert.ok(lines.length > 0);
});

test("a mail and a web page are safe text", async () => {
  await open();
  await cite("Which berth?", "letter.eml");
  await tab.page.locator(".source mark").first().waitFor();
  assert.match(await tab.page.locator(".source .text").innerText(), /number nine/);
  assert.equal(await tab.page.evaluate(() => globalThis.stolen), undefined);
});

test("a picture is shown", async () => {
  await open();
  await tab.attach(join(docs, "picture.png"));
  await tab.page.click(".file-name");
  await tab.page.waitForFunction(() => document.querySelector(".source img")?.naturalWidth === 8);
});

test("a file that was deleted leaves the passage", async () => {
  await open();
  tab.expected = [/Failed to load/];
  await tab.attach(join(docs, "tide.go"));
  await tab.page.selectOption(".file .mode", "retrieval");
  await tab.ask("What is the rise of hour 41, Rise41?");
  const [c] = await shown();
  await fetch(`${service.url}/v1/files/${c.file_id}`, { method: "DELETE" });
  await tab.page.locator(".sources button").first().click();
  await tab.page.locator("blockquote.passage").waitFor();
  assert.match(await tab.page.locator("blockquote.passage").innerText(), /Rise/);
});

test("an East Asian font that is not embedded is read by its codes, and its words are marked", async () => {
  await open();
  const asked = [];
  tab.page.on("request", (r) => asked.push(new URL(r.url()).pathname));
  await cite("契約期間", "japanese.pdf");
  await tab.page.locator(".overlay .mark").first().waitFor();
  await tab.page.waitForFunction(() =>
    /契約期間は四週間です/.test(document.querySelector(".textLayer")?.textContent ?? ""),
  );
  assert.ok(asked.includes("/assets/cmaps/90ms-RKSJ-H.bcmap"), asked.join("\n"));
});

test(
  "a scan is read by OCR and shown, with its words marked",
  { skip: hasTesseract ? false : "there is no tesseract" },
  async () => {
    const reader = await new Service({ models, args: ["--ocr"] }).start();
    try {
      tab = await Tab.open(reader.url);
      const page = await tab.context.newPage();
      await page.setViewportSize({ width: 1224, height: 600 });
      await page.setContent(
        `<body style="margin:80px;font:34px/1.6 serif">The harbour master checks every lantern on Monday.<br>
        The notice period of the crew is four weeks.<br>Anchors are painted in spring, ropes in autumn.</body>`,
      );
      const jpeg = await page.screenshot({ type: "jpeg", quality: 90 });
      await page.close();
      const scans = await folder({ "scan.pdf": scanPDF(jpeg, 1224, 600) });
      await cite("How long is the notice period of the crew?", join(scans, "scan.pdf"));
      await tab.page.locator(".overlay .mark").first().waitFor();
      await drawn();
      await tab.page.keyboard.press("/");
      await tab.page.fill(".search input", "four weeks");
      await tab.page.locator(".search :text('1 hit')").waitFor();
    } finally {
      const wrong = (await tab?.wrong()) ?? [];
      await tab?.close(); // first: what it still asks for would meet a server that is gone
      tab = null;
      await reader.remove();
      assert.deepEqual(wrong, []);
    }
  },
);

test("what cannot be placed by half is not marked, and the page says so", async () => {
  await open();
  await tab.context.route(/\/boxes\?/, async (route) => {
    const answer = await (await route.fetch()).json();
    for (const p of answer.pages) p.boxes = p.boxes.slice(0, Math.floor(p.boxes.length / 4));
    await route.fulfill({ json: answer });
  });
  await cite("Who checks the anchor number 25?", "long.pdf");
  await tab.page.locator(".source-note").waitFor();
  assert.match(await tab.page.locator(".source-note").innerText(), /Less than half/);
  assert.equal(await tab.page.locator(".mark").count(), 0);
});

test("from a click to the marked page, warm, and memory after a hundred turns of the page", async (t) => {
  await open();
  await cite("Who checks the anchor, the rudder and the compass?", "long.pdf");
  await drawn();
  const took = [];
  for (let i = 0; i < 6; i++) {
    took.push(
      await tab.page.evaluate(async () => {
        const begin = performance.now();
        document.querySelector('[aria-label="Next passage (])"]').click();
        for (;;) {
          await new Promise((done) => requestAnimationFrame(done));
          const page = document.querySelector(".page:has(.mark)");
          const box = document.querySelector(".pdf").getBoundingClientRect();
          const at = page?.querySelector(".mark").getBoundingClientRect();
          if (page?.querySelector('canvas[data-drawn="true"]') && at.top >= box.top && at.bottom <= box.bottom)
            return performance.now() - begin;
        }
      }),
    );
  }
  await tab.page.locator(".pdf").evaluate(async (box) => {
    for (let i = 0; i < 100; i++) {
      box.scrollTop = (box.scrollHeight * (i % 40)) / 40;
      await new Promise((done) => setTimeout(done, 15));
    }
  });
  const session = await tab.context.newCDPSession(tab.page);
  await session.send("HeapProfiler.collectGarbage");
  const { usedSize } = await session.send("Runtime.getHeapUsage");
  t.diagnostic(
    `click to marked page ${took.map((n) => Math.round(n)).join(", ")} ms; heap after 100 page turns ${(usedSize / 1e6).toFixed(1)} MB`,
  );
  assert.ok(usedSize < 200e6, "pages that are out of view are let go");
});

/** marksFit compares the pixels of a page with the boxes that the service gives for a passage. */
async function marksFit(c) {
  const { pages } = await (
    await fetch(`${service.url}/v1/files/${c.file_id}/boxes?start=${c.start}&end=${c.end}`)
  ).json();
  const expected = pages.map((p) => String(p.page)).join();
  await tab.page.waitForFunction(
    (want) =>
      document.querySelector(".source-note") ||
      [...document.querySelectorAll(".page:has(.mark)")].map((p) => p.dataset.page).join() === want,
    expected,
  );
  if ((await tab.page.locator(".source-note").count()) > 0) return []; // less than half of it has a place
  const seen = [];
  for (const p of pages) {
    const element = tab.page.locator(`.page[data-page="${p.page}"]`);
    await element.scrollIntoViewIfNeeded();
    await element.locator('canvas[data-drawn="true"]').waitFor();
    await element.locator(".mark").first().waitFor();
    const got = await pixelsOf(tab, element, p);
    assert.ok(got.inside > 0.9, `page ${p.page}: ${got.inside} of the boxes' area is marked`);
    assert.ok(got.outside < 0.02, `page ${p.page}: ${got.outside} of what lies outside the boxes is marked`);
    assert.ok(got.inked > 0.9, `page ${p.page}: ${got.inked} of the boxes have ink in them`);
    seen.push(p.page);
  }
  return seen;
}

const tall = { height: 1600 }; // a whole page is in view, for its picture

async function everyMarkFits(question, file) {
  await open(tall);
  await cite(question, file);
  let seen = 0;
  for (const [i, c] of (await shown()).entries()) {
    if (!c.page) continue;
    await tab.page.locator(".sources button").nth(i).click();
    seen += (await marksFit(c)).length;
  }
  assert.ok(seen > 0);
}

const own = {
  "long.pdf": "anchor, rudder, compass",
  "odd.pdf": "workshop engine rudder anchor number",
  "columns.pdf": "tides and ropes, wages and leave",
};
for (const [name, question] of Object.entries(own)) {
  test(`marks lie on the words, pixel by pixel: ${name}`, async () => {
    await everyMarkFits(`What is said of ${question}?`, name);
  });
}

const documents = {
  "retrieval/filings/docs/AMCOR_2023Q4_EARNINGS.pdf": ["net debt and cash flow", "segment sales", "dividend", "costs"],
  "retrieval/filings/docs/AMCOR_2023Q2_10Q.pdf": ["net debt", "goodwill", "shares", "leases", "inventory"],
  "retrieval/filings/docs/3M_2022_10K.pdf": ["capital expenditure", "litigation", "employees", "pension", "dividends"],
  "documents/pypdf-samples/files/009-pdflatex-geotopo/GeoTopo-komprimiert.pdf": [
    "Hausdorff-Raum",
    "Geodäte",
    "Mannigfaltigkeit",
    "Knoten",
    "Parallelenaxiom",
  ],
  "documents/docling/files/pdf/sources/redp5110_sampled.pdf": [
    "row permissions",
    "column masks",
    "roles",
    "views",
    "audit",
  ],
};
const wanted = 30;
const per = 8; // pages of a document at the most

test(
  `marks lie on the words, pixel by pixel, on ${wanted} pages of five real documents`,
  { skip: existsSync(join(shared, "retrieval")) ? false : "the reference data is not here" },
  async (t) => {
    let seen = 0;
    for (const [name, subjects] of Object.entries(documents)) {
      const pages = await pagesThatFit(join(shared, name), subjects);
      t.diagnostic(`${name}: pages ${[...pages].join(", ")}`);
      seen += pages.size;
    }
    assert.ok(seen >= wanted, `${seen} pages`);
  },
);

/** pagesThatFit looks at the marks of passages of a document, and returns the pages that they are on. */
async function pagesThatFit(file, subjects) {
  const pages = new Set();
  await open({ ...tall, settings: { limit: 6, threshold: 0 } });
  for (const subject of subjects) {
    await tab.page.click(".new-chat");
    await cite(`What is said of ${subject}?`, file);
    for (const [i, c] of (await shown()).entries()) {
      if (!c.page || pages.has(c.page) || pages.size >= per) continue;
      await tab.page.locator(".sources button").nth(i).click();
      for (const page of await marksFit(c)) pages.add(page);
    }
  }
  assert.deepEqual(await tab.wrong(), []);
  await tab.close();
  tab = null;
  return pages;
}
