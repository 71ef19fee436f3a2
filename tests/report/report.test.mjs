// Opens reports of Weir in Debian's Chromium and uses them as a reader would: node report.test.mjs REPORT.html...
// With SHOTS=FOLDER it leaves pictures for somebody to look at.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const files = process.argv.slice(2);
assert.ok(files.length > 0, "usage: node report.test.mjs REPORT.html...");
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const profile = mkdtempSync(join(tmpdir(), "weir-report-"));
const browser = await chromium.launchPersistentContext(profile, {
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  headless: true,
  acceptDownloads: true,
  viewport: { width: 1200, height: 900 },
  args: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync"],
});
let failures = 0;
async function check(name, test) {
  const start = performance.now();
  try {
    await test();
    console.log(`ok   ${name} (${Math.round(performance.now() - start)} ms)`);
  } catch (error) {
    failures += 1;
    console.log(`FAIL ${name}\n     ${String(error.message ?? error).split("\n").slice(0, 12).join("\n     ")}`);
  }
}

/** A page on `file` that notes what goes wrong in it. */
async function open(file, options = {}) {
  const page = await browser.newPage();
  page.wrong = [];
  page.on("console", (message) => { if (["error", "warning"].includes(message.type())) page.wrong.push(message.text()); });
  page.on("pageerror", (error) => page.wrong.push(String(error)));
  page.on("request", (request) => { if (!/^(file|data|blob):/.test(request.url())) page.wrong.push(`request to ${request.url()}`); });
  await page.setViewportSize({ width: options.width ?? 1200, height: 900 });
  await page.emulateMedia({ colorScheme: options.scheme ?? "light", media: options.media ?? "screen", reducedMotion: "reduce" });
  await page.goto(pathToFileURL(resolve(file)).href);
  await page.waitForSelector("html.ready");
  return page;
}
async function shot(page, name) {
  if (process.env.SHOTS) await page.screenshot({ path: join(process.env.SHOTS, `${name}.png`), fullPage: true });
}
/** What axe finds wrong, in words. */
async function violations(page) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
  return violations.flatMap((v) => v.nodes.slice(0, 3).map((node) => `${v.id}: ${node.target} ${node.failureSummary?.split("\n")[1] ?? ""}`));
}
const openAll = (page) => page.evaluate(() => document.querySelectorAll("details").forEach((d) => { d.open = true; }));

for (const file of files) {
  const name = basename(file, ".html");
  const page = await open(file);
  const chart = page.locator(".chart").first(), plot = chart.locator(".plot"), tip = chart.locator(".tip");
  const svg = () => plot.locator("svg").evaluate((element) => element.outerHTML);
  await chart.scrollIntoViewIfNeeded();
  await shot(page, `${name}-light`);

  await check(`${name}: it opens with its figures drawn`, async () => {
    assert.match(await page.title(), /Weir/);
    const drawn = await page.locator(".chart .plot svg path, .chart .plot svg rect").count();
    assert.ok(drawn > 10, `${drawn} shapes`);
    assert.ok(await page.locator(".network svg .node").count() >= 3);
  });

  await check(`${name}: a figure answers to the pointer`, async () => {
    const box = await plot.boundingBox();
    await page.mouse.move(box.x + box.width * 0.4, box.y + box.height / 2);
    const first = await tip.innerText();
    assert.ok(await tip.isVisible() && /\d/.test(first), first);
    await page.mouse.move(box.x + box.width * 0.85, box.y + box.height / 2);
    assert.notEqual(await tip.innerText(), first);
    await shot(page, `${name}-hover`);
    await page.mouse.move(2, 2);
    assert.ok(await tip.isHidden());
  });

  await check(`${name}: a figure zooms by dragging and goes back`, async () => {
    const whole = await svg(), reset = chart.locator("[data-do=reset]");
    assert.ok(await reset.isDisabled());
    const box = await plot.boundingBox();
    await page.mouse.move(box.x + box.width * 0.3, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.7, box.y + box.height / 2, { steps: 5 });
    await page.mouse.up();
    await page.mouse.move(2, 2);
    assert.notEqual(await svg(), whole);
    await reset.click();
    assert.equal(await svg(), whole);
  });

  await check(`${name}: a figure works with the keyboard and says what it shows`, async () => {
    const whole = await svg(), live = chart.locator(".live");
    await plot.focus();
    await page.keyboard.press("Home");
    const first = await live.textContent();
    await page.keyboard.press("ArrowRight");
    assert.notEqual(await live.textContent(), first);
    assert.match(await live.textContent(), /\d/);
    await page.keyboard.press("+");
    assert.match(await live.textContent(), /Zoomed to/);
    await page.keyboard.press("0");
    await page.keyboard.press("Escape");
    assert.equal(await svg(), whole);
    assert.ok((await chart.locator(".description").textContent()).length > 40);
  });

  await check(`${name}: series can be hidden`, async () => {
    const buttons = page.locator(".legend button");
    if (await buttons.count() === 0) return;
    const button = buttons.first(), own = button.locator("xpath=ancestor::figure").locator(".plot svg");
    const before = await own.innerHTML();
    await button.click();
    assert.equal(await button.getAttribute("aria-pressed"), "false");
    assert.notEqual(await own.innerHTML(), before);
    await button.click();
    assert.equal(await own.innerHTML(), before);
  });

  await check(`${name}: figures are saved as SVG, PNG and CSV`, async () => {
    const save = async (kind) => {
      const [download] = await Promise.all([page.waitForEvent("download"), chart.locator(`[data-do=${kind}]`).click()]);
      return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
    };
    const [vector, pixels, table] = [await save("svg"), await save("png"), await save("csv")];
    assert.match(vector.name, /^fig-.*\.svg$/);
    assert.match(vector.bytes.toString(), /^<svg xmlns=.*<\/svg>$/s);
    assert.equal(pixels.bytes.subarray(1, 4).toString(), "PNG");
    assert.ok(pixels.bytes.length > 5000);
    const lines = table.bytes.toString().trim().split("\n");
    assert.ok(lines.length > 2 && lines.every((line) => line.includes(",")), lines[0]);
  });

  await check(`${name}: the data are there as a table`, async () => {
    const details = chart.locator("details.data");
    await details.locator("summary").click();
    await details.locator("tbody tr").nth(1).waitFor();
    await details.locator("summary").click();
  });

  await check(`${name}: tables sort up and down by number`, async () => {
    const table = page.locator("table.sortable", { has: page.locator("td[data-v]") }).first();
    const heads = table.locator("thead th");
    const column = await heads.evaluateAll((all) => all.findIndex((head) => head.classList.contains("n")));
    const values = () => table.locator("tbody tr").evaluateAll((rows, i) => rows.map((row) => Number(row.cells[i].dataset.v)), column);
    await heads.nth(column).getByRole("button").click();
    assert.equal(await heads.nth(column).getAttribute("aria-sort"), "ascending");
    const up = await values();
    assert.deepEqual(up, [...up].sort((a, b) => a - b));
    await heads.nth(column).getByRole("button").click();
    assert.equal(await heads.nth(column).getAttribute("aria-sort"), "descending");
    assert.deepEqual(await values(), [...up].sort((a, b) => b - a));
  });

  await check(`${name}: claims can be chosen by verdict`, async () => {
    const form = page.locator("#claim-filters");
    if (await form.count() === 0) return;
    const rows = page.locator("#claim-table tbody tr:visible"), all = await rows.count();
    for (const box of await form.locator("input").all()) await box.uncheck();
    assert.equal(await rows.count(), 0);
    for (const box of await form.locator("input").all()) await box.check();
    assert.equal(await rows.count(), all);
  });

  await check(`${name}: a paper can be chosen, and sections and claims follow`, async () => {
    const choice = page.locator("#claim-filters select");
    if (await choice.count() === 0) return;
    const keys = (await choice.locator("option").evaluateAll((all) => all.map((option) => option.value || option.label))).slice(1);
    assert.ok(keys.length > 1, `${keys}`);
    for (const key of keys) {
      await choice.selectOption(key);
      const shown = await page.locator("#claim-table tbody tr:visible").evaluateAll((rows) => rows.map((row) => row.dataset.paper));
      assert.ok(shown.length > 0 && shown.every((paper) => paper === key), `${key}: ${shown}`);
      const sections = await page.locator("section.paper:visible").evaluateAll((all) => all.map((section) => section.dataset.paper));
      assert.deepEqual(sections, [key]);
    }
    await choice.selectOption("");
    assert.equal(await page.locator("section.paper:visible").count(), await page.locator("section.paper").count());
  });

  await check(`${name}: what stands beside a figure is in the table of claims, and verdicts hide it`, async () => {
    const beside = page.locator(".beside tbody tr"), count = await beside.count();
    if (count === 0) return;
    const wrong = await beside.evaluateAll((rows) => rows.filter((row) => {
      const target = document.getElementById(row.querySelector("a").hash.slice(1));
      return target?.dataset.verdict !== row.dataset.verdict;
    }).length);
    assert.equal(wrong, 0);
    const form = page.locator("#claim-filters");
    if (await form.count() === 0) return;
    for (const box of await form.locator("input").all()) await box.uncheck();
    assert.equal(await page.locator(".beside tbody tr:visible").count(), 0);
    for (const box of await form.locator("input").all()) await box.check();
    assert.equal(await page.locator(".beside tbody tr:visible").count(), count);
  });

  await check(`${name}: what was not reproduced has a reason, or it is said that there is none`, async () => {
    if (await page.locator("section.paper").count() === 0) return;
    const silent = await page.locator('#claim-table tbody tr:not([data-verdict="reproduced"])').evaluateAll((rows) =>
      rows.filter((row) => !row.querySelector(".deviation .prose p") && !/does not explain/.test(row.textContent)).map((row) => row.id));
    assert.deepEqual(silent, []);
  });

  await check(`${name}: light has no violation of accessibility`, async () => {
    // Pages of schemes are many and alike: those of one report are enough.
    if (file === files[0]) await openAll(page);
    assert.deepEqual(await violations(page), []);
  });

  await check(`${name}: the button changes to dark`, async () => {
    const light = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    await page.locator(".theme").click();
    assert.notEqual(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), light);
  });
  await check(`${name}: nothing was complained about, nothing fetched`, async () => assert.deepEqual(page.wrong, []));
  await page.evaluate(() => localStorage.clear());
  await page.close();

  const dark = await open(file, { scheme: "dark" });
  await shot(dark, `${name}-dark`);
  await check(`${name}: dark by the reader's wish, without a violation`, async () => {
    assert.equal(await dark.evaluate(() => getComputedStyle(document.documentElement).colorScheme), "dark");
    assert.deepEqual(await violations(dark), []);
    assert.deepEqual(dark.wrong, []);
  });
  await dark.close();

  const phone = await open(file, { width: 360 });
  await shot(phone, `${name}-phone`);
  await check(`${name}: a phone needs no scrolling sideways`, async () => {
    await openAll(phone);
    const width = await phone.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(width <= 360, `${width} pixels wide`);
    assert.deepEqual(phone.wrong, []);
  });
  await phone.close();

  // On a phone what is wide gets a scroll bar of its own, which the keyboard must reach, and other rules of the sheet hold.
  for (const scheme of ["light", "dark"]) {
    const hand = await open(file, { width: 390, scheme });
    await check(`${name}: a phone in ${scheme} has no violation of accessibility`, async () => {
      if (file === files[0]) await openAll(hand);
      assert.deepEqual(await violations(hand), []);
      assert.deepEqual(hand.wrong, []);
    });
    await hand.close();
  }

  const paper = await open(file, { scheme: "dark", width: 720 });
  await check(`${name}: on paper it is black on white, without buttons, with the scenario`, async () => {
    await paper.emulateMedia({ media: "print", colorScheme: "dark" });
    await paper.waitForTimeout(200);
    assert.equal(await paper.evaluate(() => getComputedStyle(document.body).backgroundColor), "rgb(255, 255, 255)");
    assert.ok(await paper.locator(".tools").first().isHidden());
    // A comparison has many scenarios, and names their files instead.
    if (name !== "compare") assert.ok(await paper.locator(".study pre").first().isVisible());
    assert.doesNotMatch(await paper.locator(".chart .plot svg").first().innerHTML(), /#e4e5e3/);
    const pdf = await paper.pdf({ format: "A4", path: process.env.SHOTS && join(process.env.SHOTS, `${name}.pdf`) });
    assert.equal(pdf.subarray(0, 5).toString(), "%PDF-");
    assert.ok(pdf.length > 20000);
    assert.deepEqual(paper.wrong, []);
  });
  await shot(paper, `${name}-print`);
  await paper.close();

  const still = await browser.browser()?.newContext({ javaScriptEnabled: false }) ?? null;
  if (still) {
    const page = await still.newPage();
    await page.goto(pathToFileURL(resolve(file)).href);
    await check(`${name}: without script the words are there`, async () => assert.ok(await page.locator("table tbody tr").count() > 2));
    await still.close();
  }
}
await browser.close();
rmSync(profile, { recursive: true, force: true });
console.log(failures === 0 ? "all is well" : `${failures} checks failed`);
process.exitCode = failures === 0 ? 0 : 1;
