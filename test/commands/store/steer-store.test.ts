import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { Context } from "../../../src/commands/context.ts";
import {
  runCheck,
  runClock,
  runFaults,
  runPage,
  runRequests,
  runReset,
  runScript,
  runState,
  runStop,
} from "../../../src/commands/store/steer-store.ts";
import type { TypedOptions } from "../../../src/config/settings.ts";
import { thisMachine } from "../../support/command/machine.ts";
import { temporaryFolder } from "../../support/program/program.ts";
import { reply, startStranger } from "../../support/servers/stranger.ts";
import { ownHeaders, storeContext, storeKey } from "./store-context.ts";

type Work = (context: Context) => Promise<void>;

/** Runs a command at a store that returns `value`; returns what was printed, and the request. */
async function run(value: unknown, work: Work, globals: TypedOptions = {}) {
  const stranger = await startStranger(reply(200, JSON.stringify(value), ownHeaders));
  const { context, stdout, stderr } = storeContext(stranger.baseUrl, globals);
  await work(context);
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

const setFaults =
  (spec?: string, latency?: string): Work =>
  (context) =>
    runFaults(context, spec, latency === undefined ? {} : { latency });
const setClock =
  (change?: string): Work =>
  (context) =>
    runClock(context, change);
const setScript =
  (file?: string): Work =>
  (context) =>
    runScript(context, file);
const setScriptFile =
  (text: string): Work =>
  (context) => {
    const file = path.join(temporaryFolder(), "steps.ndjson");
    writeFileSync(file, text);
    return runScript(context, file);
  };

describe("a command", () => {
  it.each<[string, object, Work, TypedOptions, string]>([
    [
      "a state in columns",
      state,
      runState,
      { output: "tsv" },
      "pets\trequests\tearly\tbans\n3\tno response: 2, 200: 5, 429: 1\t0\t1\n",
    ],
    ["a whole state", state, runState, { json: true }, `${JSON.stringify(state)}\n`],
    [
      "fields of a state",
      state,
      runState,
      { json: true, fields: "bans,requests" },
      '{"bans":1,"requests":"no response: 2, 200: 5, 429: 1"}\n',
    ],
    ["faults", faults, setFaults(), { output: "tsv" }, "fault\tlatency\n500:1\t5±3\n"],
    ["a time", time, setClock(), { output: "csv" }, `now,frozen\r\n${time.now},true\r\n`],
    [
      "steps",
      script,
      setScript(),
      { output: "csv" },
      "step,on,do,times,taken\r\n1,POST /pets,reset,1,0\r\n2,*,429,2,1\r\n",
    ],
    ["a link", link, runPage, {}, `${shownLink}\n`],
    ["a link as JSON", link, runPage, { json: true }, `{"url":"${shownLink}"}\n`],
  ])("prints %s", async (_what, value, work, globals, text) => {
    expect(await run(value, work, globals)).toMatchObject({ stdout: text, stderr: "" });
  });

  it.each<[string, object, Work]>([
    ["GET /_store/state", state, runState],
    ["POST /_store/reset", state, runReset],
    ["GET /_store/page", link, runPage],
    ["GET /_store/faults", faults, setFaults()],
    ['POST /_store/faults {"fault":"429:0.1"}', faults, setFaults("429:0.1")],
    ['POST /_store/faults {"latency":"200±50"}', faults, setFaults(undefined, "200±50")],
    ['POST /_store/faults {"fault":"500:1","latency":"5"}', faults, setFaults("500:1", "5")],
    ['POST /_store/faults {"fault":"","latency":""}', faults, setFaults("off")],
    ['POST /_store/faults {"fault":"","latency":"5"}', faults, setFaults("off", "5")],
    ["GET /_store/clock", time, setClock()],
    ['POST /_store/clock {"advance":"61s"}', time, setClock("+61s")],
    ['POST /_store/clock {"advance":"1d"}', time, setClock("+1d")],
    ['POST /_store/clock {"set":"2030-12-05T00:00:00Z"}', time, setClock("2030-12-05T00:00:00Z")],
    ['POST /_store/clock {"frozen":true}', time, setClock("freeze")],
    ['POST /_store/clock {"frozen":false}', time, setClock("run")],
    ["GET /_store/script", script, setScript()],
    ['POST /_store/script {"on":"*","do":"ok"}', script, setScriptFile('{"on":"*","do":"ok"}\n')],
    ["POST /_store/script off", script, setScript("off")],
  ])("sends %s", async (request, value, work) => {
    expect((await run(value, work)).asked).toEqual([request]);
  });

  const clock =
    "<change> must be + and a duration, such as +61s, a time in ISO 8601, freeze or run, not ";
  it.each<[string, Work, string, string?]>([
    ["a share over 1", setFaults("500:2"), '<spec>: the share in "500:2" must be'],
    ["a latency in words", setFaults("off", "soon"), "--latency must be whole milliseconds"],
    ["a duration without +", setClock("61s"), `${clock}"61s"`],
    ["a duration in words", setClock("+soon"), `${clock}"+soon"`],
    ["a negative duration", setClock("+-1s"), `${clock}"+-1s"`],
    ["a missing script", setScript("/nope/x"), "cannot read the script /nope/x: no such", "io"],
    ["a large script", setScriptFile("x".repeat(65_537)), "steps.ndjson is larger than 64 KiB"],
    ["a large script on standard input", setScript("-"), "the script - is larger than 64 KiB"],
  ])("sends nothing for %s", async (_what, work, message, kind = "usage") => {
    const { context } = storeContext("http://127.0.0.1:1/v1");
    const stdin = {
      ...context.stdin,
      async *[Symbol.asyncIterator]() {
        yield Buffer.alloc(65_537);
      },
    };
    await expect(work({ ...context, stdin })).rejects.toMatchObject({
      kind,
      message: expect.stringContaining(message),
    });
  });

  it.each<[unknown, Work]>([
    [{ url: "javascript:alert(1)" }, runPage],
    [{ url: "http://evil.example/#x" }, runPage],
    [{ url: "file://127.0.0.1/etc" }, runPage],
    [{ url: "nonsense" }, runPage],
    [{ url: 7 }, runPage],
    [{ ...state, bans: {} }, runState],
    [{ ...state, requests: { 200: {} } }, runState],
    [{ pets: 1 }, runState],
    [[], runState],
  ])("rejects %j", async (value, work) => {
    await expect(run(value, work)).rejects.toMatchObject({ kind: "service" });
  });

  it.each<[TypedOptions, string, string]>([
    [{}, "", "No requests since the store was started or reset.\n"],
    [{ json: true }, "[]\n", ""],
    [{ output: "ndjson" }, "", ""],
  ])("prints, with %j and no requests, %j", async (globals, stdout, stderr) => {
    const printed = await run([], (context) => runRequests(context, { follow: false }), globals);
    expect(printed).toEqual({ stdout, stderr, asked: ["GET /_store/requests"] });
  });
});

/** Stops the store at `baseUrl`; returns what was printed. */
const stopAt = async (baseUrl: string) => {
  const { context, stderr } = storeContext(baseUrl);
  const connection = async () => ({ baseUrl: new URL(baseUrl), apiKey: storeKey });
  await runStop({
    ...context,
    machine: thisMachine,
    service: { ...context.service, connection },
  });
  return stderr.text;
};

/** Starts a server that stops as a store with the process `pid` that was started at `start`. */
const stoppedAs = (pid: number, start?: string) =>
  startStranger(({ url }, response) => {
    if (url === "/healthz") response.end();
    else response.writeHead(200, ownHeaders).end(JSON.stringify({ pid, start }));
  });

describe("runStop", () => {
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

describe("runCheck", () => {
  const polite = { requests: { 200: 3 }, early: 0, bans: 0, duplicates: [], abandoned: 0 };
  const rude = { ...polite, early: 2, duplicates: [{ name: "Rex", ids: [1, 2] }] };

  it.each<[object, TypedOptions, number, string]>([
    [polite, {}, 0, "Check passed\n"],
    [{ ...polite, requests: {} }, {}, 2, "Check failed: no request reached the store\n"],
    [rude, {}, 1, '"Rex" (ids 1, 2)'],
    [rude, { json: true }, 1, `${JSON.stringify(rude)}\n`],
  ])("of %j with %j returns %i", async (verdict, globals, code, text) => {
    const report = path.join(temporaryFolder(), "report.json");
    const stranger = await startStranger((request, response, n) => {
      const value = request.url === "/_store/script" ? { steps: [] } : verdict;
      reply(200, JSON.stringify(value), ownHeaders)(request, response, n);
    });
    const { context, stdout } = storeContext(stranger.baseUrl, globals);
    expect(await runCheck(context, { report })).toBe(code);
    expect(stdout.text).toContain(text);
    expect(JSON.parse(readFileSync(report, "utf8"))).toEqual(verdict);
  });
});
