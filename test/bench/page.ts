// Measures what an open page costs on a busy store: how fast it reacts to a click at 1,000 requests a second, and how
// much of its rate the store keeps. Needs Chromium.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import type { Page } from "playwright-core";
import { closeBrowser, openContext } from "../support/browser/chromium.ts";
import { median } from "./cpu.ts";
import { petsCommand } from "./pets-command.ts";

const seconds = Number(process.argv[2] ?? 10);
const targetRate = 1_000;
const mostClickMs = 300;
const leastShare = 0.8;
const folder = mkdtempSync(path.join(tmpdir(), "pets-bench-"));
const words = "serve --json --port 0 --memory --seed 24 --plan enterprise".split(" ");
const child = spawn(process.execPath, [...petsCommand.slice(1), ...words], {
  env: { PATH: process.env.PATH ?? "", HOME: folder },
});
const line = await new Promise<string>((resolve) =>
  createInterface(child.stdout).once("line", resolve),
);
const ready: { baseUrl: string; apiKey: string; page: string } = JSON.parse(line);
const agent = new Agent({ keepAlive: true, maxSockets: 16 });

/** Sends `GET /pets`, and returns whether it was answered. */
function ask(): Promise<boolean> {
  return new Promise((resolve) => {
    const headers = { Authorization: `Bearer ${ready.apiKey}` };
    request(`${ready.baseUrl}/pets`, { agent, headers }, (reply) =>
      reply.resume().once("end", () => resolve(reply.statusCode === 200)),
    )
      .once("error", () => resolve(false))
      .end();
  });
}

/** Sends requests for some seconds, `rate` a second or as fast as 16 connections allow; returns the replies a second. */
async function load(rate: number | undefined, lengthMs: number): Promise<number> {
  const start = performance.now();
  let sent = 0;
  let answered = 0;
  const isOver = (): boolean => performance.now() - start >= lengthMs;
  const worker = async (): Promise<void> => {
    while (!isOver()) {
      if (rate !== undefined && sent >= ((performance.now() - start) / 1000) * rate)
        await new Promise((resolve) => setTimeout(resolve, 2));
      else {
        sent += 1;
        if (await ask()) answered += 1;
      }
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

try {
  await load(undefined, 3_000);
  const alone = await load(targetRate, 10_000);
  const page = await (await openContext()).newPage();
  await page.goto(ready.page);
  await page.getByText("live", { exact: true }).waitFor();
  const clicks: number[] = [];
  const endsAt = performance.now() + seconds * 1000;
  const loaded = load(targetRate, seconds * 1000);
  for (let count = 0; performance.now() < endsAt; count += 1) {
    clicks.push(await click(page, count % 2 === 0 ? "requests" : "limits"));
    await new Promise((resolve) => setTimeout(resolve, 400));
  }
  const withPage = await loaded;
  await closeBrowser();
  const share = withPage / alone;
  console.log(
    `requests a second: ${alone} alone, ${withPage} with the page open: ${share.toFixed(2)}`,
  );
  console.log(`a click: median ${median(clicks).toFixed(0)} ms`);
  if (share < leastShare || median(clicks) > mostClickMs) process.exitCode = 1;
} finally {
  child.kill();
  agent.destroy();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
