import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, afterEach, before, test } from "node:test";
import { join } from "node:path";
import { arabic, chinese, folder, hostile, hostileAnswer, longPDF } from "./fixtures.mjs";
import { cited, closeBrowser, Models, Service, Tab } from "./harness.mjs";

const handbook = new URL("../../../testdata/handbook.md", import.meta.url).pathname;
let models, service, tab, docs;

before(async () => {
  models = await new Models().start();
  models.window = 1500;
  service = await new Service({ models }).start();
  docs = await folder({
    "arabic.md": arabic,
    "chinese.md": chinese,
    "notes.md": hostile,
    "long.pdf": longPDF(300),
    "a/same.txt": "The red boat is moored at pier one.",
    "b/same.txt": "The blue boat is moored at pier two.",
    "broken.pdf": "%PDF-1.4 nothing more",
  });
});

afterEach(async () => {
  const wrong = tab ? await tab.wrong() : [];
  await tab?.close();
  tab = null;
  Object.assign(models, { answer: cited, delay: 2, cutAfter: -1, status: 0, requests: [] });
  assert.deepEqual(wrong, [], "no console errors, violations or requests to elsewhere");
});

after(async () => {
  await closeBrowser();
  await service.remove();
  models.stop();
});

const open = async (how) => (tab = await Tab.open(service.url, how));
const text = (selector) => tab.page.locator(selector).first().innerText();

test("the empty page teaches, and an example becomes the question", async () => {
  await open();
  assert.match(await text(".empty h1"), /Ask your documents/);
  await tab.page.click(".examples button");
  assert.match(await tab.page.inputValue("#question"), /main points/);
  assert.equal(await tab.page.evaluate(() => document.activeElement?.id), "question");
});

test("a file is read, counted and decided over before anything is asked", async () => {
  await open();
  await tab.attach(handbook);
  await tab.page.fill("#question", "How long is the notice period?");
  for (const shown of [
    ".file-facts:has-text('4,334 characters'):has-text('tokens')",
    ".gauge .verdict:has-text('As passages')",
    ".gauge-why:has-text('1,050 tokens are available')",
  ]) {
    await tab.page.locator(shown).waitFor(); // what is under way is told in the same places
  }
  const line = await tab.page.locator(".limit-line").evaluate((e) => e.style.left);
  assert.equal(line, "70%");
  assert.equal(models.requests.length, 0, "the model was not asked");
});

test("the gauge moves while the question is written", async () => {
  await open();
  await tab.attach(handbook);
  const words = () => tab.page.locator(".legend .question b").first().innerText();
  await tab.page.fill("#question", "Why?");
  await tab.page.waitForFunction(() => Number(document.querySelector(".legend .question b")?.textContent) <= 4);
  const few = Number(await words());
  await tab.page.fill("#question", "Why ".repeat(60));
  await tab.page.waitForFunction(
    (n) => Number(document.querySelector(".legend .question b")?.textContent) > n + 30,
    few,
  );
});

test("an answer streams, its marks are buttons, and the passages are listed", async () => {
  await open();
  await tab.attach(handbook);
  await tab.ask("How long is the notice period?");
  assert.match(await text(".answer"), /four weeks/);
  assert.equal(await tab.page.locator(".answer strong").innerText(), "four weeks");
  assert.match(
    await tab.page.locator("button.cite").first().getAttribute("aria-label"),
    /Source 1: handbook.md, lines \d+/,
  );
  assert.ok((await tab.page.locator(".sources li").count()) >= 1);
  assert.match(await text(".decision summary"), /passage/);
  await tab.page.click(".decision summary");
  assert.match(await text(".decision p"), /so passages are retrieved/);
});

test("a file per mode: whole, passages, left out", async () => {
  await open();
  await tab.attach(join(docs, "a/same.txt"));
  for (const [mode, expect] of [
    ["full", /whole/i],
    ["retrieval", /passages/i],
    ["none", /left out|no documents/i],
  ]) {
    await tab.page.selectOption(".file .mode", mode);
    await tab.page.fill("#question", `Where is the red boat? ${mode}`);
    await tab.page.waitForFunction(
      (source) => new RegExp(source, "i").test(document.querySelector(".gauge .verdict")?.textContent ?? ""),
      expect.source,
    );
  }
  await tab.page.selectOption(".file .mode", "full");
  await tab.ask("Where is the red boat?");
  assert.match(JSON.stringify(models.requests.at(-1)), /moored at pier one/);
});

test("two files of one name stay two", async () => {
  await open();
  await tab.attach(join(docs, "a/same.txt"), join(docs, "b/same.txt"));
  assert.equal(await tab.page.locator(".file.ready").count(), 2);
  await tab.ask("Where are the boats?");
  const sent = JSON.stringify(models.requests.at(-1));
  assert.match(sent, /pier one/);
  assert.match(sent, /pier two/);
});

test("a mark of a turn before opens what was shown then", async () => {
  await open();
  const ask = async (file, question) => {
    await tab.attach(join(docs, file));
    await tab.page.selectOption(".file .mode", "retrieval");
    await tab.ask(question);
  };
  await ask("a/same.txt", "Where is the red boat moored?");
  models.answer = () => "The blue one at pier two [2], the red one at pier one [1].";
  await ask("b/same.txt", "Where is the blue boat moored?");
  const last = tab.page.locator(".turn").last();
  assert.deepEqual(await last.locator("button.cite").allInnerTexts(), ["2", "1"]);
  await last.locator("button.cite").last().click();
  assert.match(await text(".source mark"), /The red boat/);
});

test("a folder is dropped with all that is in it, hidden files aside", async () => {
  await open();
  await tab.page.evaluate(() => {
    const file = (name, content) => ({
      isFile: true,
      isDirectory: false,
      name,
      file: (done) => done(new File([content], name)),
    });
    const dir = (name, children) => {
      let given = false;
      const readEntries = (done) => done(given ? [] : ((given = true), children));
      return { isFile: false, isDirectory: true, name, createReader: () => ({ readEntries }) };
    };
    const root = dir("ship", [
      file("one.txt", "The keel is oak."),
      file(".hidden", "no"),
      dir("deck", [file("two.txt", "The deck is pine.")]),
    ]);
    const transfer = new DataTransfer();
    transfer.items.add(new File(["x"], "placeholder"));
    const items = [{ kind: "file", webkitGetAsEntry: () => root }];
    const fake = new Proxy(transfer, {
      get: (t, k) => (k === "items" ? items : k === "types" ? ["Files"] : Reflect.get(t, k)),
    });
    const event = new DragEvent("drop", { bubbles: true, cancelable: true });
    Object.defineProperty(event, "dataTransfer", { value: fake });
    document.querySelector(".app").dispatchEvent(event);
  });
  await tab.ready(2);
  const facts = await tab.page.locator(".file-facts").allInnerTexts();
  assert.ok(facts.some((f) => f.startsWith("ship/deck")));
});

test("files are pasted, and a long paste is offered as a document", async () => {
  await open();
  await tab.page.click("#question");
  const log = Array.from({ length: 80 }, (_, i) => `line ${i}: the pump runs at ${i} bar`).join("\n");
  await tab.page.evaluate((t) => navigator.clipboard.writeText(t), log);
  await tab.page.keyboard.press("Control+V");
  await tab.page.click('.offer button:has-text("Make it a document")');
  await tab.ready(1);
  assert.equal(await tab.page.inputValue("#question"), "");
  assert.match(await text(".file-name"), /pasted-1.txt/);
});

test("a file that cannot be read says why and what to do, and does not hinder the others", async () => {
  await open();
  await tab.page.setInputFiles("#choose-files", [join(docs, "broken.pdf"), handbook]);
  await tab.ready(1);
  await tab.page.locator(".file.failed").waitFor();
  assert.ok((await tab.page.locator(".file.failed .file-facts").innerText()).length > 10);
  await tab.ask("How long is the notice period?");
  assert.match(await text(".answer"), /four weeks/);
});

test("Arabic and Chinese documents are cited, and shown in their direction", async () => {
  await open();
  await tab.attach(join(docs, "arabic.md"), join(docs, "chinese.md"));
  for (const f of await tab.page.locator(".file .mode").all()) await f.selectOption("retrieval");
  models.answer = (r) => `الإشعار أربعة أسابيع [1].\n\n${cited(r)}`;
  await tab.ask("مدة الإشعار");
  await tab.page.locator("button.cite").first().click();
  await tab.page.locator(".source mark").first().waitFor();
  const marked = (await tab.page.locator(".source mark").allInnerTexts()).join("");
  assert.match(marked, /الإشعار/);
  await tab.ask("通知期有多长？");
  const turn = tab.page.locator(".turn").last();
  await turn.locator('.sources button:has-text("chinese.md")').first().click();
  await tab.page.waitForFunction(() =>
    /通知期/.test([...document.querySelectorAll(".source mark")].map((m) => m.textContent).join("")),
  );
});

test("a document and an answer full of script run nothing and load nothing", async () => {
  await open();
  await tab.attach(join(docs, "notes.md"));
  await tab.page.selectOption(".file .mode", "retrieval");
  models.answer = () => hostileAnswer;
  await tab.ask("What is the notice period?");
  const answer = tab.page.locator(".answer");
  assert.equal(await answer.locator("script, img, form, input, style, iframe, [onerror]").count(), 0);
  assert.equal(await answer.locator('a[href^="javascript"]').count(), 0);
  await tab.page.locator(".sources button").first().click();
  await tab.page.locator(".source mark").first().waitFor();
  assert.match(await text(".source .text"), /<script>globalThis.stolen/);
  assert.equal(await tab.page.evaluate(() => globalThis.stolen), undefined);
  await tab.page.click('[aria-label="Lab"]');
  await tab.page.click('.segments label:has-text("Prompt")');
  await tab.page.locator(".prompt").waitFor();
  assert.equal(await tab.page.evaluate(() => globalThis.stolen), undefined);
});

test("marks that name no source stay text", async () => {
  await open();
  await tab.attach(handbook);
  models.answer = () => "Known [1], unknown [99], a list [1, 99], a link [2](https://example.org), code `[1]`.";
  await tab.ask("How long is the notice period?");
  assert.equal(await tab.page.locator("button.cite").count(), 1);
  assert.match(await text(".answer"), /unknown \[99\], a list \[1, 99\]/);
});

test("Markdown: code with a button to copy it, tables, mathematics as text", async () => {
  await open();
  models.answer = () => "Euler: $e^{i_1 * i_2} = -1$\n\n```go\nfunc main() {}\n```\n\n| a | b |\n|--|--:|\n| 1 | 2 |\n";
  await tab.ask("Show me all you can.");
  assert.equal(await text(".answer .math"), "$e^{i_1 * i_2} = -1$");
  assert.equal(await tab.page.locator(".answer td.align-right").innerText(), "2");
  await tab.page.click(".copy-code");
  await tab.page.waitForFunction(() => document.querySelector(".copy-code").textContent === "Copied");
  assert.equal(await tab.page.evaluate(() => navigator.clipboard.readText()), "func main() {}\n");
});

test("an answer is stopped, and its question comes back to be asked again", async () => {
  await open();
  models.answer = () => "word ".repeat(4000);
  models.delay = 20;
  await tab.page.fill("#question", "Say very much.");
  await tab.page.click('button[aria-label="Ask"]');
  await tab.page.waitForFunction(() => (document.querySelector(".answer")?.textContent ?? "").length > 20);
  await tab.page.click('[aria-label="Stop the answer"]');
  await tab.page.locator("text=Stopped.").waitFor();
  assert.equal(await tab.page.inputValue("#question"), "Say very much.");
});

test("a connection lost in the middle of an answer is told, and asking again works", async () => {
  await open();
  tab.expected = [/ERR_|Failed to load/];
  models.answer = () => "word ".repeat(200);
  models.cutAfter = 5;
  await tab.ask("Say much.");
  assert.ok((await text(".turn .trouble")).length > 20);
  assert.equal(await tab.page.inputValue("#question"), "Say much.");
  models.cutAfter = -1;
  models.answer = () => "All of it.";
  await tab.page.click('button[aria-label="Ask"]');
  await tab.page.locator('.answer:has-text("All of it.")').waitFor();
});

test("a model that is out of order is named, and nothing is kept of the turn", async () => {
  await open();
  tab.expected = [/Failed to load/];
  models.status = 500;
  await tab.ask("Hello?");
  assert.match(await text(".turn .trouble"), /answered 500/);
  assert.equal(await tab.page.inputValue("#question"), "Hello?");
});

test("a question is changed and asked again: the chat goes on from before it", async () => {
  await open();
  await tab.page.selectOption(".model", "roomy");
  await tab.attach(handbook);
  await tab.page.selectOption(".file .mode", "retrieval");
  await tab.ask("How long is the notice period?");
  await tab.ask("And in the trial period?");
  await tab.page.locator(".turn").last().locator('[aria-label^="Change the question"]').click();
  await tab.page.waitForFunction(() => document.querySelectorAll(".turn").length === 1);
  assert.equal(await tab.page.inputValue("#question"), "And in the trial period?");
  await tab.ask("And for managers?");
  assert.equal(await tab.page.locator(".turn").count(), 2);
  const sent = models.requests
    .at(-1)
    .messages.map((m) => JSON.stringify(m.content))
    .join("\n");
  assert.match(sent, /And for managers/);
  assert.doesNotMatch(sent, /trial period\?/);
});

test("a chat is there after a reload, with its marks and its numbers", async () => {
  await open();
  await tab.attach(handbook);
  await tab.ask("How long is the notice period?");
  await tab.page.reload();
  await tab.page.locator("button.cite").first().waitFor();
  assert.equal(await text(".question-text"), "How long is the notice period?");
  assert.match(await text(".decision summary"), /passage.*window of 1,500/s);
  await tab.page.locator("button.cite").first().click();
  await tab.page.locator(".source mark").first().waitFor();
});

test("a reload in mid-stream loses nothing that was kept", async () => {
  await open();
  await tab.page.selectOption(".model", "roomy");
  await tab.attach(handbook);
  await tab.page.selectOption(".file .mode", "retrieval");
  await tab.ask("How long is the notice period?");
  models.answer = () => "word ".repeat(4000);
  models.delay = 20;
  await tab.page.fill("#question", "Go on.");
  await tab.page.click('button[aria-label="Ask"]');
  await tab.page.waitForFunction(() => (document.querySelectorAll(".answer")[1]?.textContent ?? "").length > 20);
  await tab.page.reload();
  await tab.page.locator(".turn").first().waitFor();
  assert.match(await text(".answer"), /four weeks/);
});

test("back and forward go through chats and views", async () => {
  await open();
  await tab.ask("First chat");
  const first = await tab.page.evaluate(() => location.hash);
  await tab.page.click(".new-chat");
  await tab.page.locator(".empty").waitFor();
  await tab.ask("Second chat");
  await tab.page.click('.links a:has-text("Server")');
  await tab.page.locator("#server-title").waitFor();
  await tab.page.goBack();
  await tab.page.locator('.question-text:has-text("Second chat")').waitFor();
  await tab.page.goBack();
  await tab.page.locator('.question-text:has-text("First chat")').waitFor();
  assert.equal(await tab.page.evaluate(() => location.hash), first);
  await tab.page.goForward();
  await tab.page.locator('.question-text:has-text("Second chat")').waitFor();
});

test("a chat is exported as Markdown with its passages, and deleted after a question", async () => {
  await open();
  await tab.attach(handbook);
  await tab.ask("How long is the notice period, to export it?");
  const row = tab.page.locator('.chats li:has-text("to export it")');
  const [download] = await Promise.all([
    tab.page.waitForEvent("download"),
    row.locator('[aria-label^="Export"]').click(),
  ]);
  const said = readFileSync(await download.path(), "utf8");
  assert.match(said, /## How long is the notice period, to export it\?/);
  assert.match(said, /- \[1\] handbook.md, lines/);
  await row.locator('[aria-label^="Delete"]').click();
  await tab.page.click("dialog .danger");
  await row.waitFor({ state: "detached" });
  await tab.page.locator(".empty").waitFor();
});

test("the first question of a chat is its title; other chats can be opened", async () => {
  await open();
  await tab.ask("What is the title of this chat?");
  await tab.page.locator('.chats li.current:has-text("What is the title")').waitFor();
  assert.match(await text(".head-title"), /What is the title/);
});

test("a PDF of 300 pages is read and cited", async () => {
  await open();
  await tab.attach(join(docs, "long.pdf"));
  assert.match(await text(".file-facts"), /300 pages/);
  await tab.ask("Which crew checks anchor number 214?");
  assert.match(await tab.page.locator(".sources").innerText(), /page 214/);
});

test("a chat is renamed, and stays so", async () => {
  await open();
  await tab.ask("A title nobody wants");
  const row = tab.page.locator(".chats li.current");
  await row.hover();
  await row.locator('[aria-label^="Rename"]').click();
  await tab.page.fill("dialog input", "Berths in spring");
  await tab.page.keyboard.press("Enter");
  await tab.page.locator('.chats li.current:has-text("Berths in spring")').waitFor();
  await tab.page.locator('.head-title:has-text("Berths in spring")').waitFor();
  await tab.page.reload();
  await tab.page.locator('.head-title:has-text("Berths in spring")').waitFor();
});

test("a chat of 1,000 messages stays usable", async () => {
  await open();
  const made = await (
    await fetch(`${service.url}/v1/chats`, { method: "POST", body: JSON.stringify({ title: "long" }) })
  ).json();
  for (let i = 0; i < 500; i++) {
    for (const [role, say] of [
      ["user", `question ${i}`],
      ["assistant", `answer ${i}`],
    ]) {
      await fetch(`${service.url}/v1/chats/${made.id}/messages`, {
        method: "POST",
        body: JSON.stringify({ role, text: say }),
      });
    }
  }
  await tab.page.evaluate((id) => (location.hash = `#/chat/${id}`), made.id);
  await tab.page.waitForFunction(() => document.querySelectorAll(".turn").length === 500);
  await tab.page.fill("#question", "still here?");
  assert.equal(await tab.page.inputValue("#question"), "still here?");
});

test("by keyboard alone: write, ask, open a source, step, close", async () => {
  await open();
  await tab.attach(handbook);
  await tab.page.selectOption(".file .mode", "retrieval");
  await tab.page.keyboard.press("Escape");
  await tab.page.focus(".brand");
  await tab.page.keyboard.press("/");
  await tab.page.keyboard.type("How long is the notice period?");
  await tab.page.waitForFunction(() => !document.querySelector('button[aria-label="Ask"]').disabled);
  await tab.page.keyboard.press("Enter");
  await tab.page.locator(".turn .actions").waitFor();
  await tab.page.locator("button.cite").first().focus();
  await tab.page.keyboard.press("Enter");
  await tab.page.locator(".source mark").first().waitFor();
  await tab.page.keyboard.press("]");
  await tab.page.keyboard.press("[");
  await tab.page.keyboard.press("/");
  await tab.page.locator(".search input").waitFor();
  await tab.page.keyboard.type("boats");
  await tab.page.waitForFunction(() => /of \d|hit/.test(document.querySelector(".search .muted")?.textContent ?? ""));
  await tab.page.keyboard.press("Escape");
  await tab.page.locator(".source").press("Escape");
  await tab.page.locator(".source").waitFor({ state: "detached" });
  await tab.page.keyboard.press("?");
  await tab.page.locator("dialog").waitFor();
});
