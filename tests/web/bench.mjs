// Runs the suite of benches/suite.rs natively and in workers of Chromium, and prints both side by side.
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { launch, root, serve } from "./support.mjs";

const filter = process.argv[2] ?? "";
const newest = (folder, ending) =>
  readdirSync(folder)
    .filter((name) => /^suite-[0-9a-f]+/.test(name) && name.endsWith(ending) && !name.endsWith(".d"))
    .map((name) => join(folder, name))
    .sort((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs)[0];

const program = newest(join(root, "target/release/deps"), "");
const output = (...args) => execFileSync(program, args, { maxBuffer: 1 << 26 });
const native = (...args) => JSON.parse(output(...args));

const site = join(root, "target/bench-site");
mkdirSync(site, { recursive: true });
const wasm = newest(join(root, "target/wasm32-unknown-unknown/worker/deps"), ".wasm");
execFileSync("wasm-bindgen", ["--target", "no-modules", "--no-typescript", "--out-dir", site, "--out-name", "suite", wasm]);
const features = ["bulk-memory", "nontrapping-float-to-int", "sign-ext", "mutable-globals", "reference-types", "multivalue", "simd"];
execFileSync("wasm-opt", ["-O2", ...features.map((feature) => `--enable-${feature}`), join(site, "suite_bg.wasm"), "-o", join(site, "suite_bg.wasm")]);
const benches = native().filter(([name]) => name.includes(filter));
for (const data of new Set(benches.map(([, data]) => data))) {
  if (data !== "hospital") writeFileSync(join(site, `${data}.txt`), output("data", data));
}
writeFileSync(join(site, "index.html"), "<!doctype html><title>bench</title>");
// The file is made in one worker and used in a fresh one, whose memory has not grown for it.
writeFileSync(
  join(site, "worker.js"),
  `importScripts("suite.js");
   onmessage = async ({ data: { call, args } }) => {
     await wasm_bindgen({ module_or_path: "suite_bg.wasm" });
     postMessage(wasm_bindgen[call](...args));
   };`,
);

const server = await serve(site);
const browser = await launch();
const page = await browser.newPage();
await page.goto(server.address_);
const inChromium = (name, data, rows) =>
  page.evaluate(
    async ([name, data, rows]) => {
      const ask = (call, ...args) =>
        new Promise((done, fail) => {
          const worker = new Worker("worker.js");
          worker.onmessage = (event) => (worker.terminate(), done(event.data));
          worker.onerror = (event) => fail(new Error(event.message));
          worker.postMessage({ call, args });
        });
      const real = async () => new Uint8Array(await (await fetch(`${data}.txt`)).arrayBuffer());
      return JSON.parse(await ask("run", name, data === "hospital" ? await ask("hospital", rows) : await real()));
    },
    [name, data, rows],
  );

const cell = (text, width) => String(text).padStart(width);
console.log(`${"".padEnd(64)}${cell("native", 20)}${cell("Chromium", 20)}${cell("Chromium/native", 17)}`);
console.log(`${"".padEnd(64)}${cell("ms or MB", 11)}${cell("units", 9)}${cell("ms or MB", 11)}${cell("units", 9)}`);
const figures = [];
for (const [name, data, rows] of benches) {
  const there = native(name);
  for (const figure of await inChromium(name, data, rows)) {
    const same = there.find((other) => other.what === figure.what);
    figures.push({ ...figure, rows, native: same, ratio: same && figure.value / same.value });
    const of = (one) => (one ? cell(one.value.toFixed(1), 11) + cell(one.units.toFixed(2), 9) : cell("", 20));
    console.log(`${`${name}, ${rows ? `${rows} rows` : data}: ${figure.what}`.padEnd(64)}${of(same)}${of(figure)}${cell(same ? (figure.value / same.value).toFixed(2) : "", 17)}`);
  }
}
await browser.close();
server.close();
const kept = join(root, "target/bench.json");
writeFileSync(kept, JSON.stringify({ date: new Date().toISOString(), figures }, null, 2) + "\n");
console.log(`\nMilliseconds are of this machine now; only units and ratios travel. Kept in ${kept}`);
