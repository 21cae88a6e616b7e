import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import { folder } from "./fixtures.mjs";
import { closeBrowser, Models, Service, Tab } from "./harness.mjs";

const handbook = new URL("../../../testdata/handbook.md", import.meta.url).pathname;
let models, service, tab, docs;

const questions = `question,file,page,quote
How long is the notice period?,handbook.md,,"The notice period is four weeks"
How many characters has a password?,handbook.md,,"Passwords have at least fourteen characters"
What does a hotel cost?,handbook.md,,"Hotel per night"
Who won the cup in 1974?,,,
Which planet has the most moons?,,,
`;

before(async () => {
  models = await new Models().start();
  models.window = 1500;
  service = await new Service({ models, args: ["--chunk", "100/0"] }).start();
  docs = await folder({ "questions.csv": questions, "wrong.csv": "a,b\n1,2\n" });
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

async function lab(question = "How long is the notice period?") {
  tab = await Tab.open(service.url);
  await tab.attach(handbook);
  await tab.page.fill("#question", question);
  await tab.page.click('[aria-label="Lab"]');
  await tab.page.locator(".candidates li").first().waitFor();
}

const set = (selector, value) =>
  tab.page.locator(selector).evaluate((input, v) => {
    input.value = v;
    input.dispatchEvent(new Event("input", { bubbles: true }));
  }, value);
const cited = () => tab.page.locator(".candidates .in").count();
const waitCited = (n) =>
  tab.page.waitForFunction((want) => document.querySelectorAll(".candidates .in").length === want, n);

test("the lab shows passages with their affinities, and near misses", async () => {
  await lab();
  assert.ok((await cited()) >= 1);
  assert.ok((await tab.page.locator(".candidates .out").count()) >= 1);
  assert.ok((await tab.page.locator(".tick").count()) > 3);
});

test("a higher threshold loses passages, a lower one gains some, and the model is not asked", async () => {
  await lab();
  const before = await cited();
  await set("#threshold", "0.95");
  await waitCited(0);
  assert.ok((await tab.page.locator(".candidates .lost").count()) >= before);
  await set("#threshold", "0.01");
  await set("#limit", "8");
  await tab.page.waitForFunction((n) => document.querySelectorAll(".candidates .gained").length >= n, 1);
  assert.match(await tab.page.locator(".lab-summary").innerText(), /\+\d/);
  assert.equal(models.requests.length, 0);
});

test("the threshold is dragged on the strip, and moved by keys", async () => {
  await lab();
  const line = tab.page.locator(".strip-line");
  const box = await tab.page.locator(".strip-field").boundingBox();
  await tab.page.mouse.move(box.x + box.width * 0.25, box.y + 20);
  await tab.page.mouse.down();
  await tab.page.mouse.move(box.x + box.width * 0.6, box.y + 20, { steps: 4 });
  await tab.page.mouse.up();
  const dragged = Number(await line.getAttribute("aria-valuenow"));
  assert.ok(Math.abs(dragged - 0.6) < 0.02);
  await line.focus();
  await tab.page.keyboard.press("ArrowLeft");
  assert.ok(Math.abs(Number(await line.getAttribute("aria-valuenow")) - dragged + 0.01) < 0.001);
});

test("settings that were tried are used for the next question, until they are reset", async () => {
  await lab();
  const use = tab.page.locator('.controls button:has-text("Use these settings")');
  assert.ok(await use.isDisabled());
  await set("#limit", "1");
  await set("#threshold", "0.1");
  await use.click();
  assert.ok(await use.isDisabled());
  await tab.ask("How long is the notice period?");
  const chat = await tab.page.evaluate(() => location.hash.split("/")[2]);
  const { results } = await (await fetch(`${service.url}/v1/chats/${chat}`)).json();
  assert.equal(results[0].result.limit, 1);
  assert.equal(results[0].result.threshold, 0.1);
  await set("#limit", "5");
  await tab.page.click('.controls button:has-text("Reset")');
  assert.equal(await tab.page.inputValue("#limit"), "1");
});

test("the prompt is shown exactly as it is sent, its parts by where they come from", async () => {
  await lab();
  await tab.page.click('.segments label:has-text("Prompt")');
  await tab.page.locator(".prompt .from-source").first().waitFor();
  const tried = await tab.page.locator(".prompt").evaluate((e) => e.textContent);
  assert.match(await tab.page.locator(".prompt .from-source").first().innerText(), /notice period/);
  assert.equal(await tab.page.locator(".prompt .from-question").innerText(), "How long is the notice period?");
  await tab.ask("How long is the notice period?");
  const sent = models.requests.at(-1).messages.at(-1).content;
  const plain = (s) => s.replace(/=====[0-9a-f]+/g, "=====");
  assert.equal(plain(tried), plain(typeof sent === "string" ? sent : sent[0].text));
  await tab.page.click('.turn [aria-label="Open in the lab"]');
  await tab.page.locator(".lab :text('As it was sent')").waitFor();
});

test("why: the numbers of the decision", async () => {
  await lab();
  await tab.page.click('.segments label:has-text("Why")');
  const words = await tab.page.locator(".why-view").innerText();
  assert.match(words, /1,500 tokens/);
  assert.match(words, /1,050 tokens: 1,500 free, of which 70 %/);
  assert.match(words, /so passages are retrieved/);
});

test("a larger window lets the document in whole", async () => {
  await lab();
  await tab.page.selectOption('.controls label:has-text("Window") select', "8192");
  await tab.page.locator(".lab-summary :text('in whole')").waitFor();
});

test("smaller passages are tried and used; the search that cannot be chosen says so", async () => {
  await lab();
  const size = tab.page.locator('.controls label:has-text("Passage size") select');
  assert.match(await size.locator("option").first().innerText(), /^100 tokens$/);
  const words = async () => (await tab.page.locator(".prompt").evaluate((e) => e.textContent)).length;
  await tab.page.click('.segments label:has-text("Prompt")');
  await tab.page.locator(".prompt").waitFor();
  const before = await words();
  await size.selectOption("500/50");
  await tab.page.waitForFunction((n) => document.querySelector(".prompt")?.textContent.length > n * 1.3, before);
  await tab.page.click('.controls button:has-text("Use these settings")');
  await tab.ask("How long is the notice period?");
  assert.ok(models.requests.at(-1).messages.at(-1).content.length > before * 1.3);
  assert.ok(await tab.page.locator('.controls label:has-text("Embedder") select').isDisabled());
  assert.match(await tab.page.locator('.controls label:has-text("Reranker")').innerText(), /None configured/);
});

test("an evaluation compares sizes of passages, and uses the one that is chosen", async () => {
  await lab();
  await tab.page.click('.links a:has-text("Evaluate")');
  await tab.page.setInputFiles("#choose-questions", `${docs}/questions.csv`);
  await tab.page.check('.sizes label:has-text("300 tokens") input');
  await tab.page.click('button:has-text("Run")');
  await tab.page.locator(".report h2").waitFor();
  assert.match(await tab.page.locator(".report h2").innerText(), /of (100|300) tokens/);
  await tab.page.click('[aria-label="Passage size"] button:has-text("300 tokens")');
  await tab.page.click('.report button:has-text("Use these settings")');
  const kept = await tab.page.evaluate(() => JSON.parse(localStorage.getItem("inlay.settings")));
  assert.equal(kept.chunk, "300/0");
});

test("an evaluation runs, draws its curves, and its settings are used", async () => {
  await lab();
  await tab.page.click('.links a:has-text("Evaluate")');
  await tab.page.setInputFiles("#choose-questions", `${docs}/questions.csv`);
  await tab.page.locator(".card :text('5 questions')").waitFor();
  await tab.page.click('button:has-text("Run")');
  await tab.page.locator(".report h2").waitFor();
  assert.equal(await tab.page.locator(".curve polyline").count(), 3);
  const points = (await tab.page.locator(".curve polyline").first().getAttribute("points")).split(" ");
  assert.ok(points.length > 40);
  await tab.page.click('.limit-choice button:has-text("5 passages")');
  await set(".curve-threshold input", "0.4");
  await tab.page.click('.report button:has-text("Use these settings")');
  await tab.page.locator(":text('The next question uses them.')").waitFor();
  const kept = await tab.page.evaluate(() => JSON.parse(localStorage.getItem("inlay.settings")));
  assert.deepEqual([kept.limit, kept.threshold], [5, 0.4]);
});

test("a file without questions is refused in words", async () => {
  await lab();
  await tab.page.click('.links a:has-text("Evaluate")');
  await tab.page.setInputFiles("#choose-questions", `${docs}/wrong.csv`);
  await tab.page.locator(".trouble :text('no column')").waitFor();
});
