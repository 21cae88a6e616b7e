// What the tests of the page run with: the real service, a scripted server of
// models, and a real Chromium.
import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { createServer as createSocket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";

export const binary = process.env.INLAY_BIN ?? new URL("../../../bin/inlay", import.meta.url).pathname;

const pause = (ms) => new Promise((done) => setTimeout(done, ms));

export async function freePort() {
  const socket = createSocket();
  await new Promise((done) => socket.listen(0, "127.0.0.1", done));
  const { port } = socket.address();
  await new Promise((done) => socket.close(done));
  return port;
}

/** The text of the last message that a model was sent. */
export const askedOf = (request) => {
  const content = request.messages.at(-1)?.content ?? "";
  return typeof content === "string" ? content : content.map((p) => p.text ?? "").join("");
};

/** An answer that cites the first passages, in all that Markdown has. */
export function cited(request) {
  const numbers = [...new Set([...askedOf(request).matchAll(/ begin \[(\d+)\]/g)].map((m) => m[1]))];
  const [a = "1", b = a] = numbers;
  return `The notice period is **four weeks** to the end of a month [${a}].\n\nDuring the trial period it is *two weeks* [${b}].\n`;
}

/** Models is a server of the OpenAI API whose answers a test writes. */
export class Models {
  requests = [];
  answer = cited;
  delay = 2; // ms between pieces
  cutAfter = -1; // pieces after which the connection is lost
  status = 0; // of a refusal

  async start() {
    this.server = createServer((request, response) => void this.handle(request, response));
    await new Promise((done) => this.server.listen(0, "127.0.0.1", done));
    this.url = `http://127.0.0.1:${this.server.address().port}/v1`;
    return this;
  }

  async handle(request, response) {
    if (request.url.endsWith("/models")) {
      response.setHeader("Content-Type", "application/json");
      response.end(
        JSON.stringify({
          object: "list",
          data: [
            { id: "scripted", object: "model", max_model_len: this.window ?? 8192 },
            { id: "roomy", object: "model", max_model_len: 32768 },
          ],
        }),
      );
      return;
    }
    if (!request.url.endsWith("/chat/completions")) {
      response.writeHead(404).end();
      return;
    }
    let body = "";
    for await (const part of request) body += part;
    const asked = JSON.parse(body || "{}");
    this.requests.push(asked);
    if (this.status) {
      response.writeHead(this.status, { "Content-Type": "application/json" });
      response.end(JSON.stringify({ error: { message: "the model is out of order", type: "server_error" } }));
      return;
    }
    await this.stream(response, this.answer(asked));
  }

  async stream(response, text) {
    response.writeHead(200, { "Content-Type": "text/event-stream" });
    const pieces = text.match(/[\s\S]{1,12}/g) ?? [""];
    const chunk = (delta, finish) =>
      `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "scripted", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
    for (const [i, piece] of pieces.entries()) {
      if (i === this.cutAfter) {
        response.socket.destroy();
        return;
      }
      if (response.destroyed) return;
      response.write(chunk({ role: "assistant", content: piece }, null));
      await pause(this.delay);
    }
    response.write(chunk({}, "stop"));
    response.end("data: [DONE]\n\n");
  }

  stop() {
    this.server.closeAllConnections();
    this.server.close();
  }
}

/** run runs the command and returns what it printed. */
export function run(args, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(binary, args, options);
    let out = "";
    let error = "";
    child.stdout.on("data", (d) => (out += d));
    child.stderr.on("data", (d) => (error += d));
    child.on("close", (code) => (code === 0 ? resolve(out) : reject(new Error(`inlay ${args[0]}: ${code}\n${error}`))));
  });
}

/** Service is inlay serve in a folder of its own. */
export class Service {
  constructor({ models, args = [] } = {}) {
    this.args = args;
    this.models = models;
  }

  async start() {
    this.data ??= await mkdtemp(join(tmpdir(), "inlay-page-"));
    this.port ??= await freePort();
    this.url = `http://127.0.0.1:${this.port}`;
    const args = ["serve", "--data", this.data, "--addr", `127.0.0.1:${this.port}`, "--rate", "0", ...this.args];
    if (this.models) args.push("--upstream", `test=openai:${this.models.url}`);
    this.process = spawn(binary, args, { stdio: ["ignore", "pipe", "pipe"] });
    this.log = "";
    this.process.stderr.on("data", (d) => (this.log += d));
    await new Promise((done, fail) => {
      this.process.stdout.on("data", (d) => String(d).includes("inlay serves") && done());
      this.process.on("exit", (code) => fail(new Error(`inlay serve ended with ${code}\n${this.log}`)));
    });
    return this;
  }

  async stop() {
    if (this.process.exitCode !== null) return;
    const over = new Promise((done) => this.process.on("exit", done));
    this.process.kill("SIGKILL");
    await over;
  }

  async remove() {
    await this.stop();
    await rm(this.data, { recursive: true, force: true });
  }
}

/** INLAY_SLOW is up to how many ms each request of the page waits: a machine under load, to find tests that race. */
const slow = Number(process.env.INLAY_SLOW ?? 0);

async function later(route) {
  await pause(Math.random() * slow);
  await route.fallback().catch(() => {}); // the page is closed
}

/** keepSettings runs in the browser, at each page it opens; what the page kept since stays. */
function keepSettings(settings) {
  if (location.protocol.startsWith("http")) localStorage["inlay.settings"] ??= JSON.stringify(settings);
}

let browser;

export async function openBrowser() {
  browser ??= await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"],
  });
  return browser;
}

export async function closeBrowser() {
  await browser?.close();
}

/** Tab is a page in a browser context of its own; it notes what must not happen. */
export class Tab {
  troubles = [];
  refused = [];
  expected = []; // patterns of troubles that a test brings about

  /** settings are what the browser has kept before the page is opened: the page writes its own when it has the models. */
  static async open(url, { width = 1600, height = 1000, theme = "light", hash = "", settings, ...more } = {}) {
    const tab = new Tab();
    tab.context = await (
      await openBrowser()
    ).newContext({
      viewport: { width, height },
      colorScheme: theme,
      reducedMotion: "reduce",
      acceptDownloads: true,
      ...more,
    });
    await tab.context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: url });
    await tab.context.addInitScript(() => {
      globalThis.violations = [];
      addEventListener("securitypolicyviolation", (e) =>
        globalThis.violations.push(`${e.violatedDirective} ${e.blockedURI}`),
      );
    });
    if (settings) await tab.context.addInitScript(keepSettings, settings);
    tab.page = await tab.context.newPage();
    tab.page.setDefaultTimeout(300_000);
    if (slow > 0) await tab.page.route("**/v1/**", later);
    tab.page.on("console", (m) => m.type() === "error" && tab.troubles.push(m.text()));
    tab.page.on(
      "response",
      (r) => r.status() >= 400 && tab.refused.push(`${r.status()} ${r.request().method()} ${r.url()}`),
    );
    tab.page.on("pageerror", (e) => tab.troubles.push(String(e)));
    tab.page.on("request", (r) => {
      if (!r.url().startsWith(url) && !/^(blob|data):/.test(r.url())) tab.troubles.push(`outside: ${r.url()}`);
    });
    await tab.page.goto(`${url}/${hash}`);
    return tab;
  }

  /** What went wrong that no test brought about. */
  async wrong() {
    const violations = await this.page.evaluate(() => globalThis.violations ?? []);
    return [...this.troubles, ...violations].filter((t) => !this.expected.some((e) => e.test(t)));
  }

  async attach(...paths) {
    await this.page.setInputFiles("#choose-files", paths);
    await this.ready(paths.length);
  }

  /** ready waits until so many files beside the question are read. */
  async ready(count) {
    await this.page.waitForFunction((n) => document.querySelectorAll(".composer .file.ready").length >= n, count);
  }

  async ask(text) {
    const before = await this.page.locator(".turn").count();
    await this.page.fill("#question", text);
    await this.page.click('button[aria-label="Ask"]');
    await this.page.locator(".turn").nth(before).waitFor();
    await this.settled();
  }

  /** settled waits until no answer is under way. */
  async settled() {
    await this.page.waitForFunction(
      () =>
        !document.querySelector('[aria-label="Stop the answer"]') &&
        document.querySelector(".turn .actions, .turn .trouble"),
    );
  }

  async close() {
    await this.context.close();
  }
}
