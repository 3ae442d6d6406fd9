// The ground every feature stands on: loading, cancelling, surviving, staying at home.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { axe, choose, file, folder, launch, loaded, open, root, serve, table, throng } from "./support.mjs";

let browser, server, debug, large;
before(async () => {
  browser = await launch();
  server = await serve(join(root, "target/dist"));
  debug = await serve(join(root, "target/dist-debug"));
  large = file("large.csv", table(200_000, 20));
});
after(async () => {
  await browser?.close();
  server?.close();
  debug?.close();
});

/// A test with a page of its own, which must end without foreign requests or unhandled errors.
const onPage = (name, run, { on = () => server, ...options } = {}) =>
  test(name, async () => {
    const page = await open(browser, on(), options);
    await run(page);
    assert.deepEqual(page.foreign, [], "requests to another origin");
    assert.deepEqual(page.errors, [], "errors nobody handled");
    await page.context().close();
  });

const failure = (page) => page.getByRole("alert");

onPage("a table of 200,000 rows is read, counted and shown", async (page) => {
  await choose(page, large);
  await loaded(page, "200,000 rows");
  await page.getByRole("button", { name: /^column_0 .* 200,000 distinct/ }).waitFor();
  await page.getByRole("button", { name: /^column_1 .* 10 distinct/ }).waitFor();
  assert.match(await page.getByRole("status").textContent(), /large.csv read: 200,000 rows, 20 columns/);
});

onPage("the summary saved in the browser is, byte for byte, what the runner prints", async (page) => {
  const path = file("accents.csv", "name;city;n\nZoë;Zürich;1\nAnn;Bonn;2\nBob;;3\n\"a;b\";Bonn;?\n");
  for (const [data, rows] of [[large, "200,000 rows"], [path, "4 rows"]]) {
    await choose(page, data);
    await loaded(page, rows);
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Save summary" }).click()]);
    const native = execFileSync(throng, ["stats", "--json", data]);
    assert.deepEqual(readFileSync(await download.path()), native);
  }
});

onPage("cancel mid-way answers within 200 ms and leaves what was there", async (page) => {
  await choose(page, file("small.csv", "a,b\n1,2\n"));
  await loaded(page, "1 row");
  const waits = [];
  for (let attempt = 0; attempt < 3; attempt++) {
    // Clicks as soon as the first progress shows, and measures until the task is gone.
    const cancelled = page.evaluate(
      () =>
        new Promise((done) => {
          let clicked = 0;
          const observer = new MutationObserver(() => {
            const task = document.querySelector(".task");
            const value = Number(task?.querySelector("progress")?.getAttribute("value") ?? 0);
            if (!clicked && value > 0 && value < 1) {
              clicked = performance.now();
              task.querySelector("button").click();
            } else if (clicked && !task) {
              observer.disconnect();
              done(performance.now() - clicked);
            }
          });
          observer.observe(document.body, { subtree: true, childList: true, attributes: true });
        }),
    );
    await choose(page, large);
    waits.push(await cancelled);
    assert.equal(await page.locator(".chip.file b").textContent(), "small.csv");
  }
  assert.ok(Math.min(...waits) < 200, `took ${waits} ms`);
  assert.equal(await failure(page).count(), 0, "cancelling is not a failure");
  await choose(page, large);
  await loaded(page, "200,000 rows");
});

onPage("everything works after the network is cut", async (page) => {
  await page.waitForFunction(() => performance.getEntriesByName(new URL("worker_bg.wasm", location.href).href).length > 0);
  await page.context().setOffline(true);
  const before = server.requests;
  await choose(page, large);
  await loaded(page, "200,000 rows");
  assert.equal(server.requests, before);
});

// --- surviving -------------------------------------------------------------------------------

const onDebug = { on: () => debug };
for (const [action, words] of [
  ["panic", /a bug of its own \(at src\/engine.rs:\d+\)/],
  ["exhaust-memory", /ran out of memory/],
  ["close", /does not answer any more/],
]) {
  onPage(
    `after ${action} the page says so, reads the file again and goes on, without the network`,
    async (page) => {
      await choose(page, large);
      await loaded(page, "200,000 rows");
      await page.context().setOffline(true);
      await page.evaluate((action) => window.throngDebug(action), action);
      await failure(page).getByText(words).waitFor({ timeout: 60_000 });
      await page.locator(".task").waitFor({ state: "detached" });
      await loaded(page, "200,000 rows");
      await page.getByRole("button", { name: "Dismiss" }).click();
      await choose(page, file("after.csv", "x\n1\n2\n3\n"));
      await loaded(page, "3 rows");
      page.errors = page.errors.filter((error) => !error.includes("unreachable"));
    },
    onDebug,
  );
}

onPage(
  "a job that never looks up is ended by Cancel",
  async (page) => {
    await page.evaluate(() => window.throngDebug("hang"));
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.locator(".task").waitFor({ state: "detached" });
    await choose(page, file("next.csv", "x\n1\n"));
    await loaded(page, "1 row");
  },
  onDebug,
);

onPage(
  "rows can be asked for and work cancelled while a job runs",
  async (page) => {
    await page.evaluate(() => window.throngDebug("work"));
    await page.locator(".task progress[value]").waitFor();
    await page.keyboard.press("Escape");
    await page.locator(".task").waitFor({ state: "detached" });
  },
  onDebug,
);

onPage("a release has no debug requests", async (page) => {
  assert.equal(await page.evaluate(() => typeof window.throngDebug), "undefined");
});

// --- staying at home -------------------------------------------------------------------------

test("neither page nor worker can reach another origin", async () => {
  const elsewhere = await serve(folder);
  const page = await open(browser, server);
  while (page.workers().length === 0) await page.waitForEvent("worker");
  for (const place of [page, page.workers()[0]]) {
    const reached = await place.evaluate((url) => fetch(url, { mode: "no-cors" }).then(() => true, () => false), elsewhere.address_);
    assert.equal(reached, false);
  }
  assert.equal(elsewhere.requests, 0);
  const policy = await page.locator('meta[http-equiv="Content-Security-Policy"]').getAttribute("content");
  for (const directive of ["default-src 'none'", "connect-src 'self'", "object-src 'none'", "base-uri 'none'", "form-action 'none'", "script-src 'self' 'wasm-unsafe-eval'"]) {
    assert.ok(policy.split("; ").includes(directive), directive);
  }
  elsewhere.close();
  await page.context().close();
});

onPage("nothing of the data is stored or shown in the address", async (page) => {
  await choose(page, file("secret.csv", "name,illness\nZaphod,Vogonitis\n"));
  await loaded(page, "1 row");
  const kept = await page.evaluate(async () =>
    JSON.stringify([{ ...localStorage }, { ...sessionStorage }, await indexedDB.databases(), await caches.keys(), location.href, document.cookie]),
  );
  // The policy may be kept, and with it the names of columns; no cell is.
  assert.doesNotMatch(kept, /Zaphod|Vogonitis|secret/);
});

// --- bad input -------------------------------------------------------------------------------

onPage("bad input gets a clear message and nothing is lost", async (page) => {
  await choose(page, file("good.csv", "a,b\n1,2\n3,4\n"));
  await loaded(page, "2 rows");
  for (const [name, contents, words] of [
    ["empty.csv", "", /The file is empty/],
    ["blank.csv", "\n\n\r\n", /no columns/],
    ["picture.csv", Buffer.from("89504e470d0a1a0a0000000d49484452000000010000000108", "hex"), /binary file/],
    ["book.xlsx", Buffer.concat([Buffer.from("PK\x03\x04"), Buffer.alloc(500, 7)]), /Excel workbook/],
    ["quote.csv", 'a,b\n1,"2\n3,4\n', /never closed/],
    ["wide.csv", "x,".repeat(1_000_000) + "\n", /cells; at most/],
  ]) {
    await choose(page, file(name, contents));
    await failure(page).getByText(words).waitFor();
    await failure(page).getByText(name).waitFor();
    assert.equal(await page.locator(".chip.file b").textContent(), "good.csv");
  }
  await failure(page).getByText("wide.csv, line 1, cell 16385").waitFor();
  await page.getByRole("gridcell", { name: "3", exact: true }).waitFor();
});

onPage("a dropped folder is refused with what to do", async (page) => {
  const path = join(folder, "a folder.csv");
  mkdirSync(path);
  const box = await page.locator(".drop").boundingBox();
  const session = await page.context().newCDPSession(page);
  const data = { items: [], files: [path], dragOperationsMask: 1 };
  for (const type of ["dragEnter", "dragOver", "drop"]) {
    await session.send("Input.dispatchDragEvent", { type, x: box.x + 50, y: box.y + 50, data });
  }
  await failure(page).getByText("The file is a folder.").waitFor();
});

onPage("a dropped file is read", async (page) => {
  const path = file("dropped.csv", "a;b\n1;2\n");
  const box = await page.locator(".drop").boundingBox();
  const session = await page.context().newCDPSession(page);
  const data = { items: [], files: [path], dragOperationsMask: 1 };
  for (const type of ["dragEnter", "dragOver", "drop"]) {
    await session.send("Input.dispatchDragEvent", { type, x: box.x + 50, y: box.y + 50, data });
  }
  await loaded(page, "1 row");
});

onPage("a file that vanishes while it is read", async (page) => {
  await choose(page, file("good.csv", "a,b\n1,2\n3,4\n"));
  await loaded(page, "2 rows");
  const path = file("vanishing.csv", table(400_000, 20));
  await page.exposeFunction("vanish", () => unlinkSync(path));
  await page.evaluate(() => {
    const observer = new MutationObserver(() => {
      if (!document.querySelector(".task progress[value]")) return;
      observer.disconnect();
      window.vanish();
    });
    observer.observe(document.body, { subtree: true, childList: true, attributes: true });
  });
  await choose(page, path);
  await failure(page).getByText("is not there any more").waitFor();
  assert.equal(await page.locator(".chip.file b").textContent(), "good.csv");
});

// --- for everyone ----------------------------------------------------------------------------

for (const colorScheme of ["light", "dark"]) {
  onPage(
    `axe finds nothing serious (${colorScheme})`,
    async (page) => {
      assert.deepEqual(await axe(page), [], "empty");
      await choose(page, file("repaired.csv", "a,a,\n1,2\n\n3,4,5,6\n"));
      await loaded(page, "2 rows");
      assert.deepEqual(await axe(page), [], "loaded");
      await choose(page, file("empty.csv", ""));
      await failure(page).waitFor();
      assert.deepEqual(await axe(page), [], "failure");
      await page.keyboard.press("?");
      await page.getByRole("dialog").waitFor();
      assert.deepEqual(await axe(page), [], "help");
    },
    { colorScheme },
  );
}

onPage("by keyboard alone: skip link, help, theme, choosing a file", async (page) => {
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.className), "skip");
  await page.keyboard.press("Enter");
  assert.equal(await page.evaluate(() => document.activeElement.id), "main");
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.type), "file");
  await page.keyboard.press("?");
  await page.getByRole("dialog").waitFor();
  assert.equal(await page.evaluate(() => document.activeElement.textContent), "Close");
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.getByRole("button", { name: /Theme/ }).press("Enter");
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "light");
  await page.reload();
  await page.getByRole("heading", { name: "Data", level: 1 }).waitFor();
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "light");
});
