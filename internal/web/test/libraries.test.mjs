import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import { join } from "node:path";
import { rm } from "node:fs/promises";
import { folder, longPDF } from "./fixtures.mjs";
import { closeBrowser, Models, run, Service, Tab } from "./harness.mjs";

const handbook = new URL("../../../testdata/handbook.md", import.meta.url).pathname;
let models, service, tab, docs;

before(async () => {
  models = await new Models().start();
  models.window = 3000;
  service = await new Service({ models }).start();
  docs = await folder({ "logbook.pdf": longPDF(30), "papers/rules.pdf": longPDF(12) });
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

async function libraries() {
  tab = await Tab.open(service.url, { hash: "#/libraries" });
  await tab.page.locator("#libraries-title").waitFor();
}

test("a library is made, filled with dropped files, and renamed", async () => {
  await libraries();
  await tab.page.fill(".new-key input", "Harbour");
  await tab.page.click('.new-key button:has-text("Make")');
  await tab.page.locator('.library h2:has-text("Harbour")').waitFor();
  await tab.page.click('.links a:has-text("Talk")');
  await tab.attach(handbook, join(docs, "logbook.pdf"));
  await tab.page.click('.links a:has-text("Libraries")');
  await tab.page.click('.library button:has-text("Put 2 dropped files into it")');
  await tab.page.locator('.library header:has-text("2 documents")').waitFor();
  await tab.page.locator('.library-files:has-text("logbook.pdf")').waitFor();
  await tab.page.click('[aria-label="Rename Harbour"]');
  await tab.page.fill('[aria-label="New name"]', "Harbour Lane");
  await tab.page.keyboard.press("Enter");
  await tab.page.locator('.library h2:has-text("Harbour Lane")').waitFor();
});

test("a library is asked beside a question, and its passages open where they are", async () => {
  tab = await Tab.open(service.url);
  await tab.page.selectOption(".add-library", { label: "Harbour Lane" });
  await tab.page.fill("#question", "Who checks the anchor number 25?");
  await tab.page.locator('.gauge-why:has-text("Harbour Lane")').waitFor();
  await tab.ask("Who checks the anchor number 25?");
  const source = tab.page.locator('.sources button:has-text("logbook.pdf")').first();
  await source.click();
  await tab.page.locator(".overlay .mark").first().waitFor();
  await tab.page.reload();
  await tab.page.locator(".ready-library").waitFor();
});

test("a file is taken out, and a library deleted: then it is not asked any more", async () => {
  await libraries();
  await tab.page.check(".library .check input");
  await tab.page.click('[aria-label="Take logbook.pdf out"]');
  await tab.page.locator('.library header:has-text("1 document,")').waitFor();
  await tab.page.click('[aria-label="Delete Harbour Lane"]');
  await tab.page.click("dialog .danger");
  await tab.page.locator(":text('There is none yet')").waitFor();
  await tab.page.click('.links a:has-text("Talk")');
  await tab.page.locator("#question").waitFor();
  assert.equal(await tab.page.locator(".ready-library").count(), 0);
});

test("a library of folders is listed and asked; its PDFs open as pages, and as text once the file is gone", async () => {
  await run(["library", "add", "papers", join(docs, "papers"), "--data", service.data]);
  await libraries();
  await tab.page.locator('.library:has-text("papers")').waitFor();
  assert.match(await tab.page.locator('.library:has-text("papers")').innerText(), /1 document, /);
  await tab.page.click('.links a:has-text("Talk")');
  await tab.page.selectOption(".add-library", { label: "papers" });
  await tab.ask("Who checks the rudder number 3?");
  const source = () => tab.page.locator('.sources button:has-text("rules.pdf")').first();
  await source().click();
  await tab.page.locator(".overlay .mark").first().waitFor();
  await tab.page.locator('.page canvas[data-drawn="true"]').first().waitFor();
  await tab.page.keyboard.press("/");
  await tab.page.fill(".search input", "lantern number");
  await tab.page.locator('.page[data-page="8"] .mark').first().waitFor();

  tab.expected = [/Failed to load/];
  await rm(join(docs, "papers/rules.pdf"));
  await tab.page.reload();
  await source().click();
  await tab.page
    .locator(".source-note :text('text that was read'), .source-note:has-text('text that was read')")
    .first()
    .waitFor();
  await tab.page.locator(".source mark").first().waitFor();
  assert.match((await tab.page.locator(".source mark").allInnerTexts()).join(" "), /rudder number 3/);
});
