// The page over a real Ollama server, whose address and models TestPageOllama of cmd/inlay gives.
import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import { closeBrowser, Service, Tab } from "./harness.mjs";

const handbook = new URL("../../../testdata/handbook.md", import.meta.url).pathname;
const {
  INLAY_PAGE_OLLAMA: base,
  INLAY_PAGE_MODEL: model,
  INLAY_PAGE_ENDLESS: endless,
  INLAY_PAGE_SAYS: says,
  INLAY_PAGE_EMBEDDER: embedder,
} = process.env;
let service, tab;

before(async () => {
  const args = ["--upstream", `local=ollama:${base}`, "--embedder", `ollama:${embedder}`, "--base-url", base];
  service = await new Service({ args }).start();
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
});

async function open(name, how) {
  tab = await Tab.open(service.url, how);
  await choose(name);
}

async function choose(name) {
  const option = tab.page.locator(".model option", { hasText: name }).first();
  await tab.page.selectOption(".model", { label: await option.innerText() });
}

test("the models of a real server are listed, and its window is the gauge's", async () => {
  await open(model);
  await tab.attach(handbook);
  await tab.page.fill("#question", "How long is the notice period?");
  await tab.page.locator(".gauge .verdict").waitFor();
  const length = await tab.page.locator(".gauge-head .muted").innerText();
  assert.match(length, /[\d,]+ tokens/);
});

test("a real model's answer streams and is kept", async () => {
  await open(model, { settings: { threshold: 0 } }); // for the tiny embedder
  await tab.attach(handbook);
  await tab.page.selectOption(".file .mode", "retrieval");
  await tab.ask("How long is the notice period?");
  const answer = await tab.page.locator(".answer").innerText();
  assert.ok(answer.startsWith(says.trim().slice(0, -5)), answer); // its [1] is a button
  await tab.page.locator(".sources button").first().click();
  await tab.page.locator(".source mark").first().waitFor();
  await tab.page.reload();
  await tab.page.locator(".answer").waitFor();
});

test("a real model that does not end is stopped", async () => {
  await open(endless);
  await tab.page.fill("#question", "Say very much.");
  await tab.page.click('button[aria-label="Ask"]');
  await tab.page.waitForFunction(() => (document.querySelector(".answer")?.textContent ?? "").length > 40);
  await tab.page.click('[aria-label="Stop the answer"]');
  await tab.page.locator("text=Stopped.").waitFor();
});

test("the lab tries the built-in embedder beside the server's", async () => {
  await open(model);
  await tab.attach(handbook);
  await tab.page.selectOption(".file .mode", "retrieval");
  await tab.page.fill("#question", "How long is the notice period?");
  await tab.page.click('[aria-label="Lab"]');
  await tab.page.locator(".candidates li, .lab-summary").first().waitFor();
  const choice = tab.page.locator('.controls label:has-text("Embedder") select');
  assert.match(await choice.locator("option").first().innerText(), new RegExp(embedder));
  await tab.page.click('.segments label:has-text("Why")');
  await tab.page.locator(`.why-view dd:has-text("${embedder}")`).waitFor();
  await choice.selectOption("builtin");
  await tab.page.locator('.why-view dd:has-text("builtin")').waitFor();
});
