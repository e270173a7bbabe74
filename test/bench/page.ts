// Measures what an open page costs on a busy store: how fast it reacts to a click at 1,000 requests a second, and how
// much of its rate the store keeps. Needs Chromium.
import type { Page } from "playwright-core";
import { asker, openContext, withStore } from "../support/browser/chromium.ts";
import { median } from "./cpu.ts";

const seconds = Number(process.argv[2] ?? 10);
const maxClickMs = 300;
const minShare = 0.8;

/** Sends 1,000 requests a second, or as many as 16 connections allow; returns the replies a second. */
async function load(ask: ReturnType<typeof asker>, lengthMs: number): Promise<number> {
  const start = performance.now();
  let sent = 0;
  let answered = 0;
  const worker = async (): Promise<void> => {
    for (let now = start; now - start < lengthMs; now = performance.now())
      if (sent >= now - start) await new Promise((resolve) => setTimeout(resolve, 2));
      else {
        sent += 1;
        const reply = await ask("/v1/pets").then((response) => response.text());
        if (reply.startsWith("[")) answered += 1;
      }
  };
  await Promise.all(Array.from({ length: 16 }, worker));
  return Math.round((answered / lengthMs) * 1000);
}

/** Shows a section of the page, and returns how long that took, in ms. */
async function click(page: Page, section: "limits" | "requests"): Promise<number> {
  return page.evaluate(
    `new Promise((resolve) => {
      const start = performance.now();
      document.querySelector("nav a[href='#${section}']").click();
      const look = () => document.querySelector("#${section}-title")
        ? resolve(performance.now() - start) : requestAnimationFrame(look);
      look();
    })`,
  );
}

await withStore(["--seed", "24", "--plan", "enterprise"], async (ready) => {
  const ask = asker(ready);
  await load(ask, 3_000);
  const alone = await load(ask, 10_000);
  const page = await (await openContext()).newPage();
  await page.goto(ready.page);
  await page.getByText("live", { exact: true }).waitFor();
  const clicks: number[] = [];
  const endsAt = performance.now() + seconds * 1000;
  const loaded = load(ask, seconds * 1000);
  for (let count = 0; performance.now() < endsAt; count += 1) {
    clicks.push(await click(page, count % 2 === 0 ? "requests" : "limits"));
    await new Promise((resolve) => setTimeout(resolve, 400));
  }
  const withPage = await loaded;
  const share = withPage / alone;
  console.log(
    `requests a second: ${alone} alone, ${withPage} with the page open: ${share.toFixed(2)}`,
  );
  console.log(`a click: median ${median(clicks).toFixed(0)} ms`);
  if (share < minShare || median(clicks) > maxClickMs) process.exitCode = 1;
});
