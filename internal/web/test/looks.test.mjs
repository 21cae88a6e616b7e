import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { folder, longPDF } from "./fixtures.mjs";
import { closeBrowser, Models, run, Service, Tab } from "./harness.mjs";

const handbook = new URL("../../../testdata/handbook.md", import.meta.url).pathname;
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const pictures = process.env.INLAY_PICTURES; // a folder to put screenshots in
let models, service, docs;

const csv = `question,file,page,quote
How long is the notice period?,handbook.md,,"The notice period is four weeks"
What does a hotel cost?,handbook.md,,"Hotel per night"
Who won the cup in 1974?,,,
`;

before(async () => {
  models = await new Models().start();
  models.window = 4000;
  models.answer = () =>
    "Anchor number 24 is checked by the crew **every 24 days** at first; the later lines of its chapter lengthen that day by day, up to 37 days [1].\n\nOf anchor number 14 the logbook says the same, from 14 days on [2].";
  service = await new Service({ models }).start();
  docs = await folder({ "logbook.pdf": longPDF(60), "papers/rules.pdf": longPDF(12), "questions.csv": csv });
  await furnish();
  if (pictures) await mkdir(pictures, { recursive: true });
});

after(async () => {
  await closeBrowser();
  await service.remove();
  models.stop();
});

/** furnish makes what a service has that was used for a while. */
async function furnish() {
  const post = async (path, body) =>
    (
      await fetch(service.url + path, { method: "POST", body: body instanceof FormData ? body : JSON.stringify(body) })
    ).json();
  const form = new FormData();
  form.append("purpose", "user_data");
  form.append("file", new File([readFileSync(handbook)], "handbook.md"));
  const { id } = await post("/v1/files", form);
  await post("/v1/vector_stores", { name: "Handbooks", file_ids: [id] });
  await post("/v1/vector_stores", { name: "Contracts of 2026" });
  await run(["library", "add", "papers", join(docs, "papers"), "--data", service.data]);
  for (const title of [
    "Which berths are free in the second week of August?",
    "Wages of the night crew",
    "مدة الإشعار",
  ]) {
    await post("/v1/chats", { title });
  }
}

/** accessible is what axe finds on the page as it is. */
async function accessible(tab, what) {
  await tab.page.evaluate(axe); // by the protocol, which the policy of the page does not bind
  return tab.page.evaluate(async (name) => {
    const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
    const { violations } = await globalThis.axe.run(document, { runOnly: tags });
    return violations.map((v) => `${name}: ${v.id}: ${v.nodes.map((n) => n.target.join(" ")).join(", ")}`);
  }, what);
}

/** fits fails where something sticks out at the side. */
async function fits(tab, what) {
  const wide = await tab.page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assert.ok(wide <= 0, `${what} is ${wide} px too wide`);
}

const sizes = { 360: 740, 1024: 768, 1600: 1000 };
for (const [width, height] of Object.entries(sizes)) {
  for (const theme of ["light", "dark"]) {
    test(`every view at ${width} px, ${theme}: axe finds nothing, and nothing sticks out`, async () => {
      const tab = await Tab.open(service.url, { width: Number(width), height, theme });
      const narrow = Number(width) < 760;
      const found = [];
      const view = async (name) => {
        if (pictures) await tab.page.waitForTimeout(500);
        if (pictures) await tab.page.screenshot({ path: join(pictures, `${name}-${width}-${theme}.png`) });
        await fits(tab, name);
        found.push(...(await accessible(tab, name)));
      };
      await tab.page.locator(".empty").waitFor();
      await view("empty");
      await tab.attach(handbook, join(docs, "logbook.pdf"));
      await tab.page.fill("#question", "How often is anchor number 24 checked?");
      await tab.page.locator(".gauge .verdict").waitFor();
      await view("gauge");
      await tab.ask("How often is anchor number 24 checked?");
      await view("answer");
      await tab.page.locator("button.cite").first().click();
      await tab.page.locator('.page:has(.mark) canvas[data-drawn="true"]').first().waitFor();
      await view("source-pdf");
      await tab.page.click('[aria-label="Close the source"]');
      await tab.page.click(".asked-files button");
      await tab.page.locator(".source .line").first().waitFor();
      await tab.page.click('[aria-label^="Search in the source"]');
      await tab.page.fill(".search input", "boats");
      await tab.page.locator("mark.hit").first().waitFor();
      await view("source-text");
      await tab.page.click('[aria-label="Close the source"]');
      await tab.page.click('.head [aria-label="Lab"]');
      await tab.page.locator(".candidates li").first().waitFor();
      await view("lab");
      await tab.page.click('.segments label:has-text("Prompt")');
      await tab.page.locator(".prompt").waitFor();
      await view("prompt");
      await tab.page.click('.segments label:has-text("Why")');
      await view("why");
      await tab.page.click('[aria-label="Close the lab"]');
      for (const name of ["libraries", "evaluate", "keys", "server"]) {
        await tab.page.evaluate((n) => (location.hash = `#/${n}`), name);
        await tab.page.locator(`#${name}-title`).waitFor();
        if (name === "evaluate") await evaluated(tab);
        if (name === "libraries")
          await tab.page.locator(".library-files li, .library :text('It is empty')").first().waitFor();
        if (name === "server") await tab.page.locator(".checks li").first().waitFor();
        await view(name);
      }
      if (narrow) {
        await tab.page.click('[aria-label="Menu"]');
        await tab.page.locator(".side.open").waitFor();
        await view("menu");
        await tab.page.keyboard.press("Escape");
      }
      await tab.page.evaluate(() => (location.hash = "#/talk"));
      await tab.page.keyboard.press("?");
      await tab.page.locator("dialog").waitFor();
      await view("help");
      assert.deepEqual([...found, ...(await tab.wrong())], []);
      await tab.close();
    });
  }
}

async function evaluated(tab) {
  await tab.page.setInputFiles("#choose-questions", join(docs, "questions.csv"));
  await tab.page.locator(".card :text('3 questions')").waitFor();
  await tab.page.click('button:has-text("Run")');
  await tab.page.locator(".report h2").waitFor();
  await tab.page.locator(".report").evaluate((report) => report.scrollIntoView());
}

test("the page asks for nothing elsewhere, and is small", async (t) => {
  const tab = await Tab.open(service.url);
  await tab.page.locator(".empty").waitFor();
  const loaded = await tab.page.evaluate(() =>
    performance
      .getEntriesByType("resource")
      .concat(performance.getEntriesByType("navigation"))
      .map((r) => [r.name, r.encodedBodySize]),
  );
  const first = loaded.filter(([name]) => !name.includes("/v1/")).reduce((sum, [, size]) => sum + size, 0);
  const paint = await tab.page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime);
  t.diagnostic(`first load ${first} bytes compressed, first paint ${Math.round(paint)} ms`);
  assert.ok(first < 600_000);
  assert.deepEqual(await tab.wrong(), []);
  await tab.close();
});

test("the policy forbids inline scripts and eval", async () => {
  const tab = await Tab.open(service.url);
  await tab.page.locator(".empty").waitFor();
  const ran = await tab.page.evaluate(() => {
    const script = document.createElement("script");
    script.textContent = "globalThis.stolen = 1";
    document.head.append(script);
    return globalThis.stolen;
  });
  assert.equal(ran, undefined);
  const answer = await fetch(`${service.url}/`);
  assert.match(answer.headers.get("content-security-policy"), /script-src 'self';/);
  assert.doesNotMatch(answer.headers.get("content-security-policy"), /unsafe/);
  await tab.close();
});
