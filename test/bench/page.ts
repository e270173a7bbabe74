// Measures what an open page costs on a busy store: how fast it reacts to a click at 1,000 requests a
// second, how much of its rate the store keeps, and whether memory stays bounded. What is measured in CPU time
// says the same on a machine that does other things too. Needs Chromium.
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import type { BrowserContext, Page } from "playwright-core";
import { launchBrowser } from "../support/browser/chromium.ts";
import { median } from "./cpu.ts";

const seconds = Number(process.argv[2] ?? 10);
const targetRate = 1_000;
const script = path.resolve(import.meta.dirname, "../../bin/pets.js");
const folder = mkdtempSync(path.join(tmpdir(), "pets-bench-"));
const serve = [
  "serve",
  "--json",
  "--port",
  "0",
  "--memory",
  "--seed",
  "24",
  "--plan",
  "enterprise",
];
const child = spawn(process.execPath, [script, ...serve], {
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

/**
 * Opens the newest request, which holds the list, and closes it. Returns whether it was there: at this rate the
 * store remembers a request for a second, and a busy browser may need longer to open it.
 */
async function openRequest(page: Page): Promise<boolean> {
  await page.locator("button.request").first().click();
  const article = page.getByRole("article");
  const detail = article.getByText("Send it again");
  await detail.or(article.getByText("does not remember")).first().waitFor();
  const isThere = await detail.isVisible();
  await page.keyboard.press("Escape");
  return isThere;
}

/** A task of a thread of the browser, as traces have it; times are in µs. */
interface TracedTask {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** CPU time. */
  readonly tdur?: number;
  readonly args: { readonly name?: string };
}

const keyOf = ({ pid, tid }: TracedTask): string => `${pid} ${tid}`;

/** Traces the tasks of a page; returns a function that ends this, and returns the CPU time of each task of its own thread, in ms. */
async function traceTasks(context: BrowserContext, page: Page): Promise<() => Promise<number[]>> {
  const session = await context.newCDPSession(page);
  const events: TracedTask[] = [];
  session.on("Tracing.dataCollected", ({ value }) => {
    for (const event of value as unknown as TracedTask[])
      if (event.name === "thread_name" || (event.tdur ?? 0) > 5_000) events.push(event);
  });
  await session.send("Tracing.start", {
    traceConfig: { includedCategories: ["toplevel"], recordMode: "recordAsMuchAsPossible" },
  });
  return async () => {
    const complete = new Promise((resolve) => session.once("Tracing.tracingComplete", resolve));
    await session.send("Tracing.end");
    await complete;
    const own = new Set(
      events.filter(({ args }) => args.name === "CrRendererMain").map((event) => keyOf(event)),
    );
    const tasks = events.filter((event) => own.has(keyOf(event)) && event.name !== "thread_name");
    return tasks.map(({ tdur = 0 }) => tdur / 1_000);
  };
}

/** Returns the CPU time of the store until now, in ms. */
function cpuMs(): number {
  const [, fields = ""] = readFileSync(`/proc/${child.pid}/stat`, "utf8").split(") ");
  const [user, system] = fields.split(" ").slice(11, 13);
  // The unit is 10 ms on every Linux (proc(5), USER_HZ).
  return (Number(user) + Number(system)) * 10;
}

const residentMb = (): number =>
  Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))?.[1]) / 1024;

try {
  await load(undefined, 3_000);
  const fastAlone = await load(undefined, 3_000);
  const cpuBefore = cpuMs();
  const alone = await load(targetRate, 10_000);
  const cpuAlone = (cpuMs() - cpuBefore) / (alone * 10);
  const context = await launchBrowser(path.join(folder, "browser"));
  const page = context.pages()[0] ?? (await context.newPage());
  // Tasks of the page's own thread over 50 ms (W3C Long Tasks): what keeps it from reacting to a click,
  // whatever else the machine does.
  await context.addInitScript(`window.longTasks = [];
    new PerformanceObserver((list) => longTasks.push(...list.getEntries().map((it) => it.duration)))
      .observe({ type: "longtask" });`);
  await page.goto(ready.page);
  await page.getByText("live", { exact: true }).waitFor();
  await page.getByRole("link", { name: "Requests" }).click();
  const clicks: number[] = [];
  const opened: boolean[] = [];
  const memory: number[] = [];
  const endTrace = await traceTasks(context, page);
  const cpuAtStart = cpuMs();
  const endsAt = performance.now() + seconds * 1000;
  const loaded = load(targetRate, seconds * 1000);
  for (let count = 0; performance.now() < endsAt; count += 1) {
    const name = count % 2 === 0 ? "Limits" : "Requests";
    const took = await page.evaluate(
      `new Promise((resolve) => {
        const start = performance.now();
        document.querySelector("nav a[href='#${name.toLowerCase()}']").click();
        const look = () => document.querySelector("#${name.toLowerCase()}-title")
          ? resolve(performance.now() - start) : requestAnimationFrame(look);
        look();
      })`,
    );
    clicks.push(Number(took));
    if (count % 4 === 3) opened.push(await openRequest(page));
    memory.push(residentMb());
    await new Promise((resolve) => setTimeout(resolve, 400));
  }
  const withPage = await loaded;
  const cpuWithPage = (cpuMs() - cpuAtStart) / (withPage * seconds);
  const tasks = await endTrace();
  const longTasks: number[] = await page.evaluate("longTasks");
  await page.getByRole("link", { name: "Requests" }).click();
  const fastWithPage = await load(undefined, 3_000);
  const half = Math.floor(memory.length / 2);
  console.log(
    `requests a second: ${alone} alone, ${withPage} with the page open, of ${targetRate}`,
  );
  console.log(`as fast as possible: ${fastAlone} alone, ${fastWithPage} with the page open`);
  console.log(
    `a click: median ${median(clicks).toFixed(0)} ms, longest ${Math.max(...clicks).toFixed(0)} ms`,
  );
  console.log(
    `requests opened: ${opened.length}, of which ${opened.filter((isThere) => !isThere).length} were forgotten before`,
  );
  console.log(
    `long tasks of the page: ${longTasks.length}, longest ${Math.max(0, ...longTasks).toFixed(0)} ms`,
  );
  console.log(
    `CPU time of the store: ${cpuAlone.toFixed(3)} ms a request alone, ${cpuWithPage.toFixed(3)} ms with the page open`,
  );
  console.log(
    `tasks of the page by CPU time: ${tasks.filter((ms) => ms > 50).length} over 50 ms, longest ${Math.max(0, ...tasks).toFixed(0)} ms`,
  );
  console.log(
    `memory of the store: ${median(memory.slice(0, half)).toFixed(0)} MB in the first half, ${median(memory.slice(half)).toFixed(0)} MB in the second, ${seconds} s in all`,
  );
  await context.close();
} finally {
  child.kill();
  agent.destroy();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
