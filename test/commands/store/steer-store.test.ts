import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { TypedOptions } from "../../../src/config/settings.ts";
import { systemClock, thisMachine } from "../../support/command/machine.ts";
import { temporaryFolder } from "../../support/program/program.ts";
import { reply, startStranger } from "../../support/servers/stranger.ts";
import { ownHeaders, storeContext, storeKey } from "./store-context.ts";

/** The words after `pets store`. */
type Words = readonly string[];
/** What is typed; a function if it names a file of the test. */
type Typed = Words | (() => Words);
const wordsOf = (typed: Typed): Words => (typeof typed === "function" ? typed() : typed);

/** Runs a command at a store that returns `value`; returns what was printed, and the request. */
async function runAt(value: unknown, typed: Typed, globals: TypedOptions = {}) {
  const stranger = await startStranger(reply(200, JSON.stringify(value), ownHeaders));
  const { run, stdout, stderr } = storeContext(stranger.baseUrl, globals);
  await run(...wordsOf(typed));
  const asked = stranger.requests.map(({ method, url, body }) => `${method} ${url} ${body}`.trim());
  return { stdout: stdout.text, stderr: stderr.text, asked };
}

const state = { pets: 3, requests: { 0: 2, 200: 5, 429: 1 }, early: 0, bans: 1 };
const faults = { fault: "500:1", latency: "5±3" };
const time = { now: "2030-12-05T00:00:00.000Z", frozen: true };
const script = {
  steps: [
    { on: "POST /pets", do: "reset", kept: true, taken: 0 },
    { on: "*", do: 429, times: 2, taken: 1 },
  ],
};
const link = { url: "http://127.0.0.1:8080/#\u202etoken" };
const shownLink = String.raw`http://127.0.0.1:8080/#\u202etoken`;

const setFaults = (spec?: string, latency?: string): Words => [
  "faults",
  ...(spec === undefined ? [] : [spec]),
  ...(latency === undefined ? [] : ["--latency", latency]),
];
const setScriptFile = (text: string) => (): Words => {
  const file = path.join(temporaryFolder(), "steps.ndjson");
  writeFileSync(file, text);
  return ["script", file];
};

describe("a command", () => {
  it.each<[string, object, Words, TypedOptions, string]>([
    [
      "a state in columns",
      state,
      ["state"],
      { output: "tsv" },
      "pets\trequests\tearly\tbans\n3\tno response: 2, 200: 5, 429: 1\t0\t1\n",
    ],
    ["a whole state", state, ["state"], { json: true }, `${JSON.stringify(state)}\n`],
    [
      "fields of a state",
      state,
      ["state"],
      { json: true, fields: "bans,requests" },
      '{"bans":1,"requests":"no response: 2, 200: 5, 429: 1"}\n',
    ],
    ["faults", faults, setFaults(), { output: "tsv" }, "fault\tlatency\n500:1\t5±3\n"],
    ["a time", time, ["clock"], { output: "csv" }, `now,frozen\r\n${time.now},true\r\n`],
    [
      "steps",
      script,
      ["script"],
      { output: "csv" },
      "step,on,do,times,taken\r\n1,POST /pets,reset,1,0\r\n2,*,429,2,1\r\n",
    ],
    ["a link", link, ["page"], {}, `${shownLink}\n`],
    ["a link as JSON", link, ["page"], { json: true }, `{"url":"${shownLink}"}\n`],
  ])("prints %s", async (_what, value, words, globals, text) => {
    expect(await runAt(value, words, globals)).toMatchObject({ stdout: text, stderr: "" });
  });

  it.each<[string, object, Typed]>([
    ["GET /_store/state", state, ["state"]],
    ["POST /_store/reset", state, ["reset"]],
    ["GET /_store/page", link, ["page"]],
    ["GET /_store/faults", faults, setFaults()],
    ['POST /_store/faults {"fault":"429:0.1"}', faults, setFaults("429:0.1")],
    ['POST /_store/faults {"latency":"200±50"}', faults, setFaults(undefined, "200±50")],
    ['POST /_store/faults {"fault":"500:1","latency":"5"}', faults, setFaults("500:1", "5")],
    ['POST /_store/faults {"fault":"","latency":""}', faults, setFaults("off")],
    ['POST /_store/faults {"fault":"","latency":"5"}', faults, setFaults("off", "5")],
    ["GET /_store/clock", time, ["clock"]],
    ['POST /_store/clock {"advance":"+61s"}', time, ["clock", "+61s"]],
    ['POST /_store/clock {"advance":"+1d"}', time, ["clock", "+1d"]],
    ['POST /_store/clock {"set":"2030-12-05T00:00:00Z"}', time, ["clock", "2030-12-05T00:00:00Z"]],
    ['POST /_store/clock {"frozen":true}', time, ["clock", "freeze"]],
    ['POST /_store/clock {"frozen":false}', time, ["clock", "run"]],
    ["GET /_store/script", script, ["script"]],
    ['POST /_store/script {"on":"*","do":"ok"}', script, setScriptFile('{"on":"*","do":"ok"}\n')],
    ["POST /_store/script off", script, ["script", "off"]],
  ])("sends %s", async (request, value, words) => {
    expect((await runAt(value, words)).asked).toEqual([request]);
  });

  const clock =
    "the change must be + and a duration, such as +61s, a time in ISO 8601, freeze or run, not ";
  it.each<[string, Typed, string, string?]>([
    ["a share over 1", setFaults("500:2"), "the spec must be shares from 0 to 1"],
    ["a latency in words", setFaults("off", "soon"), "--latency must be milliseconds or"],
    ["a year", ["clock", "2030"], `${clock}"2030"`],
    ["an empty change", ["clock", ""], `${clock}""`],
    ["a duration without +", ["clock", "61s"], `${clock}"61s"`],
    ["a duration in words", ["clock", "+soon"], `${clock}"+soon"`],
    ["a negative duration", ["clock", "+-1s"], `${clock}"+-1s"`],
    ["a missing script", ["script", "/nope/x"], "cannot read the script /nope/x: no such", "io"],
    ["a large script", setScriptFile("x".repeat(65_537)), "steps.ndjson is larger than 64 KiB"],
    ["a large script on standard input", ["script", "-"], "the script - is larger than 64 KiB"],
  ])("sends nothing for %s", async (_what, words, message, kind = "usage") => {
    const { run } = storeContext("http://127.0.0.1:1/v1", {}, { input: Buffer.alloc(65_537) });
    await expect(run(...wordsOf(words))).rejects.toMatchObject({
      kind,
      message: expect.stringContaining(message),
    });
  });

  it.each<[unknown, Words]>([
    [{ url: "javascript:alert(1)" }, ["page"]],
    [{ url: "http://evil.example/#x" }, ["page"]],
    [{ url: "file://127.0.0.1/etc" }, ["page"]],
    [{ url: "nonsense" }, ["page"]],
    [{ url: 7 }, ["page"]],
    [{ ...state, bans: {} }, ["state"]],
    [{ ...state, requests: { 200: {} } }, ["state"]],
    [{ pets: 1 }, ["state"]],
    [[], ["state"]],
  ])("rejects %j", async (value, words) => {
    await expect(runAt(value, words)).rejects.toMatchObject({ kind: "service" });
  });

  it.each<[TypedOptions, string, string]>([
    [{}, "", "No requests since the store was started or reset.\n"],
    [{ json: true }, "[]\n", ""],
    [{ output: "ndjson" }, "", ""],
  ])("prints, with %j and no requests, %j", async (globals, stdout, stderr) => {
    const printed = await runAt([], ["requests"], globals);
    expect(printed).toEqual({ stdout, stderr, asked: ["GET /_store/requests"] });
  });
});

/** Stops the store at `baseUrl`; returns what was printed. */
const stopAt = async (baseUrl: string) => {
  const connection = async () => ({ baseUrl: new URL(baseUrl), apiKey: storeKey });
  const runtime = { machine: thisMachine, clock: systemClock };
  const { run, stderr } = storeContext(baseUrl, {}, { runtime, service: { connection } });
  await run("stop");
  return stderr.text;
};

/** Starts a server that stops as a store with the process `pid` that was started at `start`. */
const stoppedAs = (pid: number, start?: string) =>
  startStranger(({ url }, response) => {
    if (url === "/healthz") response.end();
    else response.writeHead(200, ownHeaders).end(JSON.stringify({ pid, start }));
  });

describe("pets store stop", () => {
  it("says that no store is running", async () => {
    expect(await stopAt("http://127.0.0.1:1/v1")).toBe("No store is running at 127.0.0.1:1.\n");
  });

  it.each([
    ["another process here", process.pid, "1"],
    ["another process here, as an older version says", process.pid, undefined],
    ["no process here", 2 ** 31 - 1, "1"],
  ])("does not wait for a store elsewhere, whose number means %s", async (_what, pid, start) => {
    const began = performance.now();
    const { baseUrl } = await stoppedAs(pid, start);
    expect(await stopAt(baseUrl)).toBe(`Stopped the store at ${new URL(baseUrl).host}.\n`);
    expect(performance.now() - began).toBeLessThan(10_000);
  });

  it("waits for the process of the store to end", async () => {
    const child = spawn("sleep", ["60"]);
    await once(child, "spawn");
    const pid = Number(child.pid);
    const { baseUrl } = await stoppedAs(pid, thisMachine.startOf(pid));
    let hasStopped = false;
    const stopping = stopAt(baseUrl).then(() => (hasStopped = true));
    await setTimeout(200);
    expect(hasStopped).toBe(false);
    child.kill("SIGKILL");
    await stopping;
  });

  it("fails if a running store does not respond", async () => {
    const stranger = await startStranger(({ url }, response) => {
      if (url === "/healthz") response.writeHead(503, ownHeaders).end();
      else response.destroy();
    });
    await expect(stopAt(stranger.baseUrl)).rejects.toMatchObject({ kind: "unreachable" });
  });
});

describe("pets store check", () => {
  const counted = { requests: { 200: 3 }, early: 0, bans: 0, duplicates: [], abandoned: 0 };
  const polite = { ...counted, outside: {}, parameters: { page: 1 }, malformed: {} };
  const rude = { ...polite, early: 2, duplicates: [{ name: "Rex", ids: [1, 2] }] };

  it.each<[object, TypedOptions, number, string]>([
    [polite, {}, 0, "Check passed\n"],
    [polite, {}, 0, '"page": 1'],
    [{ ...polite, requests: {} }, {}, 2, "Check failed: no request reached the store\n"],
    [rude, {}, 1, '"Rex" (ids 1, 2)'],
    [rude, { json: true }, 1, `${JSON.stringify(rude)}\n`],
  ])("of %j with %j returns %i", async (verdict, globals, code, text) => {
    const report = path.join(temporaryFolder(), "report.json");
    const stranger = await startStranger((request, response, n) => {
      const value = request.url === "/_store/script" ? { steps: [] } : verdict;
      reply(200, JSON.stringify(value), ownHeaders)(request, response, n);
    });
    const { run, stdout } = storeContext(stranger.baseUrl, globals);
    expect(await run("check", "--report", report)).toBe(code);
    expect(stdout.text).toContain(text);
    expect(JSON.parse(readFileSync(report, "utf8"))).toEqual(verdict);
  });
});
