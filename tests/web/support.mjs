// What the web tests share: a plain static server, Chromium, a page that tolerates no foreign request, and test files.
import { createServer } from "node:http";
import assert from "node:assert/strict";
import { createReadStream, existsSync, mkdtempSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, extname, join, normalize } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

export const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
/// The headless runner.
export const throng = join(root, "target/debug/throng");
/// The real tables, if they are there: only what says so needs them.
export const data = process.env.THRONG_DATA ?? join(root, "../shared/data");
const types = { ".html": "text/html", ".js": "text/javascript", ".wasm": "application/wasm", ".css": "text/css", ".svg": "image/svg+xml" };

/// Serves a folder as the plainest host would: no headers but the type. Counts what was asked of it.
export async function serve(folder) {
  const server = createServer((request, response) => {
    server.requests += 1;
    const path = normalize(new URL(request.url, "http://host").pathname);
    const file = join(folder, path === "/" ? "index.html" : path);
    if (!existsSync(file) || !statSync(file).isFile()) return response.writeHead(404).end();
    response.writeHead(200, { "Content-Type": types[extname(file)] ?? "application/octet-stream" });
    createReadStream(file).pipe(response);
  });
  server.requests = 0;
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  server.address_ = `http://127.0.0.1:${server.address().port}/`;
  return server;
}

export const launch = () =>
  chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
  });

/// A page on `server` that remembers every request to another origin and every error the page did not handle.
export async function open(browser, server, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, acceptDownloads: true, ...options });
  const page = await context.newPage();
  page.foreign = [];
  page.errors = [];
  context.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(server.address_) && !url.startsWith("blob:" + server.address_)) page.foreign.push(url);
  });
  page.on("pageerror", (error) => page.errors.push(String(error)));
  await page.goto(server.address_);
  await page.getByRole("heading", { name: "Data", level: 1 }).waitFor();
  return page;
}

export const folder = mkdtempSync(join(tmpdir(), "throng-web-"));

/// Writes a test file and returns its path.
export function file(name, contents) {
  const path = join(folder, name);
  writeFileSync(path, contents);
  return path;
}

/// A made-up table: the same bytes for the same arguments.
export function table(rows, columns = 6) {
  let state = 12345;
  const next = (below) => ((state = (state * 1103515245 + 12345) % 2147483648), Math.floor((state / 2147483648) * below));
  const lines = [Array.from({ length: columns }, (_, column) => `column_${column}`).join(",")];
  for (let row = 0; row < rows; row++) {
    lines.push(Array.from({ length: columns }, (_, column) => (column === 0 ? row : `v${next(10 ** Math.min(column, 4))}`)).join(","));
  }
  return lines.join("\n") + "\n";
}

export const choose = (page, path) => page.locator('input[type="file"]').first().setInputFiles(path);
export const loaded = (page, text) => page.locator(".chip.file", { hasText: text }).waitFor();

/// Serious and critical findings of axe on what the page shows now, as readable lines.
export async function axe(page) {
  // The page's policy forbids foreign scripts, so axe comes in through the debugger, not through a tag.
  const source = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
  await page.evaluate(await import("node:fs").then((fs) => fs.readFileSync(source, "utf8")));
  const { violations } = await page.evaluate(() => window.axe.run());
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.target.join(" ")} (${node.failureSummary})`));
}

/// A test on a fresh page of the built site that fails on foreign requests and on errors that nobody handled.
export function tests() {
  let browser, server;
  before(async () => {
    browser = await launch();
    server = await serve(process.env.THRONG_DIST ?? join(root, "target/dist"));
  });
  after(async () => {
    await browser?.close();
    server?.close();
  });
  return (name, run, options = {}) =>
    test(name, { skip: options.skip }, async () => {
      const page = await open(browser, server, options);
      await run(page);
      assert.deepEqual(page.foreign, [], "requests to another origin");
      assert.deepEqual(page.errors, [], "errors nobody handled");
      await page.context().close();
    });
}

export const step = (page, name) => page.locator("nav .step", { has: page.locator("b", { hasText: new RegExp(`^${name}$`) }) }).click();

/// Sixty people by age and sex; `illness` gives the disease of each.
export const people = (illness) =>
  ["name,age,sex,disease", ...Array.from({ length: 60 }, (_, row) => `p${row},${20 + (row % 30)},${row % 2 ? "F" : "M"},${illness(row)}`)].join("\n") + "\n";

/// Opens such a table as `small.csv`, with the roles its columns have and a demand of k = 3.
export async function openPeople(page, illness = (row) => `d${row % 5}`) {
  await choose(page, file("small.csv", people(illness)));
  await loaded(page, "60 rows");
  await step(page, "Columns");
  for (const [column, role] of [["name", "identifier"], ["age", "quasi"], ["sex", "quasi"], ["disease", "sensitive"]]) {
    await page.getByLabel(`Role of ${column}`).selectOption(role);
  }
  await step(page, "Policy");
  await page.getByRole("button", { name: /k = 3/ }).click();
  await page.locator(".card").first().waitFor();
}

/// Tries until what is asserted holds, for what is shown only when the engine has answered and leaves no other trace.
export async function eventually(check) {
  for (const end = Date.now() + 10_000; ; await new Promise((later) => setTimeout(later, 50))) {
    try {
      return await check();
    } catch (error) {
      if (!(error instanceof assert.AssertionError) || Date.now() > end) throw error;
    }
  }
}

/// Shows a part of the Results page.
export const part = (page, name) => page.getByRole("tab", { name, exact: true }).click();

/// The text of the file that a click saves.
export async function download(page, click) {
  const [saved] = await Promise.all([page.waitForEvent("download"), click()]);
  return readFileSync(await saved.path(), "utf8");
}
