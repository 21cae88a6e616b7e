import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, before, test } from "node:test";
import { binary, closeBrowser, Models, run, Service, Tab } from "./harness.mjs";

const handbook = new URL("../../../testdata/handbook.md", import.meta.url).pathname;
let models, service, keys, tab;

before(async () => {
  models = await new Models().start();
  service = new Service({ models });
  await service.start();
  const make = async (...args) => (await run(["keys", "make", ...args, "--data", service.data])).match(/inlay_\w+/)[0];
  keys = {
    ann: await make("ann", "--scope", "admin"),
    bob: await make("bob"),
    reader: await make("reader", "--owner", "ann", "--scope", "read"),
  };
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

const refusals = [/Failed to load/];

async function signedIn(key, how = {}) {
  tab = await Tab.open(service.url, { ...how, hash: `#key=${key}` });
  tab.expected = [...refusals];
  await tab.page.locator("#question").waitFor();
}

test("a service with keys asks for one, refuses a wrong one in words, and takes a right one", async () => {
  tab = await Tab.open(service.url);
  tab.expected = refusals;
  await tab.page.fill("#key", "inlay_wrong");
  await tab.page.click('button:has-text("Sign in")');
  await tab.page.locator(".sign-in .warning-text").waitFor();
  await tab.page.fill("#key", keys.ann);
  await tab.page.click('button:has-text("Sign in")');
  await tab.page.locator("#question").waitFor();
});

test("a key in the address is taken out of it at once", async () => {
  await signedIn(keys.ann);
  assert.doesNotMatch(tab.page.url(), /inlay_/);
  await tab.page.reload();
  await tab.page.locator("#question").waitFor();
});

test("a key that is not remembered is forgotten with its tab, one that is stays", async () => {
  tab = await Tab.open(service.url);
  tab.expected = refusals;
  await tab.page.fill("#key", keys.ann);
  await tab.page.check(".sign-in .check input");
  await tab.page.click('button:has-text("Sign in")');
  await tab.page.locator("#question").waitFor();
  const other = await tab.context.newPage();
  await other.goto(`${service.url}/`);
  await other.locator("#question").waitFor();
});

test("another owner's chat cannot be seen by its link", async () => {
  await signedIn(keys.ann);
  await tab.ask("A secret of Ann's");
  const link = await tab.page.evaluate(() => location.hash);
  await tab.close();
  await signedIn(keys.bob);
  await tab.page.evaluate((h) => (location.hash = h), link);
  await tab.page.locator(".turns .trouble").waitFor();
  assert.doesNotMatch(await tab.page.locator("body").innerText(), /A secret of Ann's/);
});

test("a key that only reads is told so when it wants to keep something", async () => {
  await signedIn(keys.reader);
  await tab.page.fill("#question", "Hello?");
  await tab.page.click('button[aria-label="Ask"]');
  await tab.page.locator(".turn .trouble").waitFor();
  assert.match(await tab.page.locator(".turn .trouble").innerText(), /allows read/);
});

test("keys are made, shown once, and revoked; a revoked key has to sign in again", async () => {
  await signedIn(keys.ann);
  await tab.page.click('.links a:has-text("Keys")');
  await tab.page.fill(".new-key input", "phone");
  await tab.page.click('.new-key button:has-text("Make")');
  const secret = await tab.page.locator(".secret").innerText();
  const phone = await Tab.open(service.url, { hash: `#key=${secret}` });
  await phone.page.locator("#question").waitFor();
  await tab.page.click('[aria-label="Revoke phone"]');
  await tab.page.waitForFunction(() => !document.querySelector('[aria-label="Revoke phone"]') || true);
  await phone.page.fill("#question", "Still in?");
  await phone.page.locator(".sign-in .warning-text").waitFor();
  await phone.close();
});

test("a key that has expired has to sign in again, and loses nothing that was written", async () => {
  await signedIn(keys.ann);
  const made = await fetch(`${service.url}/v1/keys`, {
    method: "POST",
    headers: { Authorization: `Bearer ${keys.ann}`, "Content-Type": "application/json" },
    body: JSON.stringify({ name: "short", expires_in: 1 }),
  });
  const { secret } = await made.json();
  for (let status = 200; status !== 401; await new Promise((done) => setTimeout(done, 100))) {
    status = (await fetch(`${service.url}/v1/files`, { headers: { Authorization: `Bearer ${secret}` } })).status;
  }
  await tab.page.route(/\/v1\//, (route) =>
    route.continue({ headers: { ...route.request().headers(), authorization: `Bearer ${secret}` } }),
  );
  await tab.page.fill("#question", "What is left of this?"); // which is measured, so the server is asked
  await tab.page.locator(".sign-in .warning-text").waitFor();
  await tab.page.unroute(/\/v1\//);
  await tab.page.fill("#key", keys.ann);
  await tab.page.click('button:has-text("Sign in")');
  await tab.page.locator("#question").waitFor();
  assert.equal(await tab.page.inputValue("#question"), "What is left of this?");
});

test("a server that stops is told, and the page goes on when it is back", async () => {
  await signedIn(keys.ann);
  tab.expected = [/ERR_|Failed to load/];
  await service.stop();
  await tab.page.fill("#question", "Anybody there?");
  await tab.page.click('button[aria-label="Ask"]');
  await tab.page.locator(".turn .trouble :text('cannot be reached')").waitFor();
  await service.start();
  assert.equal(await tab.page.inputValue("#question"), "Anybody there?");
  await tab.page.click('button[aria-label="Ask"]');
  await tab.page.locator(".answer").waitFor();
});

test("a page opened while the service is away has its models when it is back, and its own is not forgotten", async () => {
  await signedIn(keys.ann);
  tab.expected = [/ERR_|Failed to load/];
  await tab.page.selectOption(".model", "roomy");
  await tab.page.route("**/v1/models", (r) => r.abort());
  await tab.page.reload();
  await tab.page.locator(".trouble :text('cannot be reached')").waitFor();
  await tab.page.unroute("**/v1/models");
  await tab.page.fill("#question", "How long is the notice period?");
  await tab.page.click('button[aria-label="Ask"]');
  await tab.page.locator(".answer").waitFor();
  assert.equal(await tab.page.locator(".model").inputValue(), "roomy");
});

test("passages alone stay chosen after a reload", async () => {
  await signedIn(keys.ann);
  await tab.page.selectOption(".model", { label: "Passages only" });
  await tab.page.reload();
  await tab.page.locator(".composer-note:has-text('No model: you get the passages')").waitFor();
  assert.equal(await tab.page.locator(".model").inputValue(), "");
});

test("the server's checks are shown", async () => {
  await signedIn(keys.ann);
  await tab.page.click('.links a:has-text("Server")');
  await tab.page.locator(".checks li").nth(2).waitFor();
  assert.match(await tab.page.locator(".checks").innerText(), /Models of test/);
});

test("inlay open prints an address that lets in, with its files, and nobody else", async () => {
  const data = await mkdtemp(join(tmpdir(), "inlay-open-"));
  const child = spawn(binary, ["open", "--no-browser", "--data", data, handbook], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    const address = await new Promise((done) =>
      child.stdout.on("data", (d) => /open at (\S+)/.test(d) && done(/open at (\S+)/.exec(d)[1])),
    );
    const { origin, hash } = new URL(address);
    assert.equal((await fetch(`${origin}/v1/files`)).status, 401);
    tab = await Tab.open(origin, { hash });
    await tab.ready(1);
    assert.equal(await tab.page.locator(".file-name").innerText(), "handbook.md");
    await tab.page.locator(".composer-note:has-text('No model: you get the passages')").waitFor();
    await tab.page.selectOption(".file .mode", "retrieval");
    await tab.ask("How long is the notice period?");
    assert.match(await tab.page.locator(".sources.full").innerText(), /notice period/);
    await tab.page.locator(".sources button").first().click();
    await tab.page.locator(".source mark").first().waitFor();
    const over = new Promise((done) => child.on("exit", done));
    child.kill("SIGINT");
    assert.equal(await over, 0, "Ctrl-C ends it");
    tab.expected = [/ERR_|Failed to load/];
  } finally {
    child.kill("SIGKILL");
    await rm(data, { recursive: true, force: true });
  }
});
