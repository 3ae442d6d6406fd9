// Runs the suite of benches/suite.rs natively and in a worker of Chromium, and prints both side by side.
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
const native = JSON.parse(execFileSync(program, [filter], { maxBuffer: 1 << 26 }));

const site = join(root, "target/bench-site");
mkdirSync(site, { recursive: true });
const wasm = newest(join(root, "target/wasm32-unknown-unknown/release/deps"), ".wasm");
execFileSync("wasm-bindgen", ["--target", "no-modules", "--no-typescript", "--out-dir", site, "--out-name", "suite", wasm]);
const features = ["bulk-memory", "nontrapping-float-to-int", "sign-ext", "mutable-globals", "reference-types", "multivalue", "simd"];
execFileSync("wasm-opt", ["-O3", ...features.map((feature) => `--enable-${feature}`), join(site, "suite_bg.wasm"), "-o", join(site, "suite_bg.wasm")]);
writeFileSync(join(site, "index.html"), "<!doctype html><title>bench</title>");
writeFileSync(
  join(site, "worker.js"),
  `importScripts("suite.js");
   wasm_bindgen({ module_or_path: "suite_bg.wasm" }).then(() => postMessage(wasm_bindgen.run(${JSON.stringify(filter)})));`,
);

const server = await serve(site);
const browser = await launch();
const page = await browser.newPage();
await page.goto(server.address_);
const chromium = JSON.parse(
  await page.evaluate(
    () =>
      new Promise((done, fail) => {
        const worker = new Worker("worker.js");
        worker.onmessage = (event) => done(event.data);
        worker.onerror = (event) => fail(new Error(event.message));
      }),
  ),
);
await browser.close();
server.close();

const figures = native.map((figure, index) => ({
  bench: figure.bench,
  what: figure.what,
  native: { milliseconds: figure.milliseconds, units: figure.units },
  chromium: { milliseconds: chromium[index].milliseconds, units: chromium[index].units },
  chromiumOverNative: chromium[index].milliseconds / figure.milliseconds,
}));
const kept = join(root, "target/bench.json");
writeFileSync(kept, JSON.stringify({ date: new Date().toISOString(), figures }, null, 2) + "\n");

const cell = (text, width) => String(text).padStart(width);
console.log(`${"".padEnd(52)}${cell("native", 20)}${cell("Chromium", 20)}${cell("Chromium/native", 17)}`);
console.log(`${"".padEnd(52)}${cell("ms", 11)}${cell("units", 9)}${cell("ms", 11)}${cell("units", 9)}`);
for (const { bench, what, native, chromium, chromiumOverNative } of figures) {
  const of = ({ milliseconds, units }) => cell(milliseconds.toFixed(1), 11) + cell(units.toFixed(2), 9);
  console.log(`${`${bench}: ${what}`.padEnd(52)}${of(native)}${of(chromium)}${cell(chromiumOverNative.toFixed(2), 17)}`);
}
console.log(`\nMilliseconds are of this machine now; only units and ratios travel. Kept in ${kept}`);
