// Screenshots of every page in both sizes and themes, into target/shots, to be looked at.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { choose, file, launch, loaded, open, root, serve } from "./support.mjs";

const out = join(root, "target/shots");
mkdirSync(out, { recursive: true });
const server = await serve(join(root, "target/dist"));
const browser = await launch();
const data = process.env.THRONG_DATA ?? join(root, "../shared/data");

/// Each takes the page to a state worth looking at, from the one before.
const scenes = {
  "data-empty": async () => {},
  "data-failure": async (page) => {
    await choose(page, file("quote.csv", 'a,b\n1,"2\n3,4\n'));
    await page.getByRole("alert").waitFor();
  },
  "data-loaded": async (page) => {
    await choose(page, join(data, "adult_45222.csv"));
    await loaded(page, "45,222 rows");
    await page.locator("td").first().waitFor();
  },
  help: async (page) => {
    await page.keyboard.press("?");
    await page.getByRole("dialog").waitFor();
  },
};

for (const [size, viewport] of [["wide", { width: 1280, height: 800 }], ["tall", { width: 820, height: 1180 }]]) {
  for (const colorScheme of ["light", "dark"]) {
    const page = await open(browser, server, { viewport, colorScheme });
    for (const [name, go] of Object.entries(scenes)) {
      await go(page);
      await page.screenshot({ path: join(out, `${name}-${size}-${colorScheme}.png`) });
    }
    await page.context().close();
  }
}
await browser.close();
server.close();
console.log(`screenshots in ${out}`);
