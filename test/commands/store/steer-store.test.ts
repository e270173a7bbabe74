import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it } from "vitest";
import type { TypedOptions } from "../../../src/cli/program.ts";
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
import { temporaryFolder } from "../../support/program/program.ts";
import { reply, startStranger } from "../../support/servers/stranger.ts";
import { ownHeaders, storeContext, storeKey } from "./store-context.ts";

/** Runs a command at a store that returns `value`; returns what was printed, and the request. */
async function run(
  value: unknown,
  work: (context: Context) => Promise<void>,
  globals: TypedOptions = {},
) {
  const stranger = await startStranger(reply(200, JSON.stringify(value), ownHeaders));
  const { context, stdout, stderr } = storeContext(stranger.baseUrl, globals);
  await work(context);
  const asked = stranger.requests.map(({ method, url, body }) => `${method} ${url} ${body}`.trim());
  return { stdout: stdout.text, stderr: stderr.text, asked };
}

const state = { pets: 3, requests: { 0: 2, 200: 5, 429: 1 }, early: 0, bans: 1 };

describe("the state", () => {
  it.each<[string, TypedOptions, string]>([
    [
      "in columns",
      { output: "tsv" },
      "pets\trequests\tearly\tbans\n3\tno response: 2, 200: 5, 429: 1\t0\t1\n",
    ],
    ["as JSON, whole", { json: true }, `${JSON.stringify(state)}\n`],
    [
      "in fields",
      { json: true, fields: "bans,requests" },
      '{"bans":1,"requests":"no response: 2, 200: 5, 429: 1"}\n',
    ],
  ])("is printed %s", async (_what, globals, text) => {
    const { stdout, asked } = await run(state, runState, globals);
    expect(stdout).toBe(text);
    expect(asked).toEqual(["GET /_store/state"]);
  });

  it("is printed after a reset", async () => {
    const { stdout, asked } = await run({ pets: 12, requests: {}, early: 0, bans: 0 }, runReset, {
      output: "csv",
    });
    expect(stdout).toBe("pets,requests,early,bans\r\n12,,0,0\r\n");
    expect(asked).toEqual(["POST /_store/reset"]);
  });
});

describe("runFaults", () => {
  it.each<[string | undefined, { readonly latency?: string }, string]>([
    [undefined, {}, "GET /_store/faults"],
    ["429:0.1", {}, 'POST /_store/faults {"fault":"429:0.1"}'],
    [undefined, { latency: "200±50" }, 'POST /_store/faults {"latency":"200±50"}'],
    ["500:1", { latency: "5" }, 'POST /_store/faults {"fault":"500:1","latency":"5"}'],
    ["off", {}, 'POST /_store/faults {"fault":"","latency":""}'],
    ["off", { latency: "5" }, 'POST /_store/faults {"fault":"","latency":"5"}'],
  ])("sends for %s with %j: %s", async (spec, flags, request) => {
    const inForce = { fault: "500:1", latency: "5±3" };
    const { stdout, asked } = await run(inForce, (context) => runFaults(context, spec, flags), {
      output: "tsv",
    });
    expect(asked).toEqual([request]);
    expect(stdout).toBe("fault\tlatency\n500:1\t5±3\n");
  });

  it.each([
    ["500:2", {}, '<spec>: the share in "500:2" must be a number from 0 to 1, such as 500:0.1'],
    ["700:1", {}, '<spec>: unknown fault "700"; use 429, 500, reset, truncate or hang'],
    [
      "off",
      { latency: "soon" },
      '--latency must be whole milliseconds, such as 100 or 100±50, not "soon"',
    ],
  ])("rejects %s with %j without a request", async (spec, flags, message) => {
    const { context } = storeContext("http://127.0.0.1:1/v1");
    await expect(runFaults(context, spec, flags)).rejects.toMatchObject({ kind: "usage", message });
  });
});

describe("runPage", () => {
  it.each<[TypedOptions, string]>([
    [{}, "http://127.0.0.1:8080/#\\u202etoken\n"],
    [{ json: true }, '{"url":"http://127.0.0.1:8080/#\\u202etoken"}\n'],
  ])("prints the link with %j", async (globals, text) => {
    const link = { url: "http://127.0.0.1:8080/#\u202etoken" };
    expect(await run(link, runPage, globals)).toMatchObject({
      stdout: text,
      asked: ["GET /_store/page"],
    });
  });
});

it.each(["javascript:alert(1)", "http://evil.example/#x", "file://127.0.0.1/etc", "nonsense", 7])(
  "rejects the link %j",
  async (url) => {
    await expect(run({ url }, runPage)).rejects.toMatchObject({ kind: "service" });
  },
);

it.each([{ ...state, bans: {} }, { ...state, requests: { 200: {} } }, { pets: 1 }, []])(
  "rejects the state %j",
  async (value) => {
    await expect(run(value, runState)).rejects.toMatchObject({ kind: "service" });
  },
);

describe("runRequests", () => {
  it.each<[TypedOptions, string, string]>([
    [{}, "", "No requests since the store was started or reset.\n"],
    [{ json: true }, "[]\n", ""],
    [{ output: "ndjson" }, "", ""],
  ])("prints, with %j and no requests, %j", async (globals, stdout, stderr) => {
    const printed = await run([], (context) => runRequests(context, { follow: false }), globals);
    expect(printed).toEqual({ stdout, stderr, asked: ["GET /_store/requests"] });
  });
});

describe("runClock", () => {
  const time = { now: "2030-12-05T00:00:00.000Z", frozen: true };

  it.each<[string | undefined, string]>([
    [undefined, "GET /_store/clock"],
    ["+61s", 'POST /_store/clock {"advance":"61s"}'],
    ["+1d", 'POST /_store/clock {"advance":"1d"}'],
    ["2030-12-05T00:00:00Z", 'POST /_store/clock {"set":"2030-12-05T00:00:00Z"}'],
    ["freeze", 'POST /_store/clock {"frozen":true}'],
    ["run", 'POST /_store/clock {"frozen":false}'],
  ])("sends for %j: %s", async (change, request) => {
    const { asked, stdout } = await run(time, (context) => runClock(context, change), {
      output: "csv",
    });
    expect(asked).toEqual([request]);
    expect(stdout).toBe("now,frozen\r\n2030-12-05T00:00:00.000Z,true\r\n");
  });

  it.each([
    ["61s", "<change> must be + and a duration, such as +61s, a time in ISO 8601, freeze or run"],
    ["+soon", "<change> must be + and a duration, such as +61s, a time in ISO 8601, freeze or run"],
    ["+-1s", "<change> must be + and a duration, such as +61s, a time in ISO 8601, freeze or run"],
  ])("rejects %j without a request", async (change, message) => {
    const { context } = storeContext("http://127.0.0.1:1/v1");
    await expect(runClock(context, change)).rejects.toMatchObject({
      kind: "usage",
      message: `${message}, not ${JSON.stringify(change)}`,
    });
  });
});

describe("runScript", () => {
  const script = {
    steps: [
      { on: "POST /pets", do: "reset", kept: true, taken: 0 },
      { on: "*", do: 429, times: 2, taken: 1 },
    ],
  };

  it.each<[TypedOptions, string]>([
    [{ output: "csv" }, "step,on,do,times,taken\r\n1,POST /pets,reset,1,0\r\n2,*,429,2,1\r\n"],
    [{ json: true }, `${JSON.stringify(script)}\n`],
  ])("prints the steps with %j", async (globals, text) => {
    const { asked, stdout } = await run(
      script,
      (context) => runScript(context, undefined),
      globals,
    );
    expect(asked).toEqual(["GET /_store/script"]);
    expect(stdout).toBe(text);
  });

  it("sends the text of a file, or off", async () => {
    const file = path.join(temporaryFolder(), "steps.ndjson");
    writeFileSync(file, '{"on":"*","do":"ok"}\n');
    const sent = await run(script, (context) => runScript(context, file));
    expect(sent.asked).toEqual(['POST /_store/script {"on":"*","do":"ok"}']);
    const off = await run(script, (context) => runScript(context, "off"));
    expect(off.asked).toEqual(["POST /_store/script off"]);
  });

  it.each([
    ["is missing", undefined, "io", /^cannot read the script .*: no such file/],
    ["is too large", "x".repeat(65_537), "usage", /is larger than 64 KiB$/],
  ])("sends nothing if the file %s", async (_what, text, kind, message) => {
    const file = path.join(mkdtempSync(path.join(tmpdir(), "pets-")), "steps.ndjson");
    if (text !== undefined) writeFileSync(file, text);
    const { context } = storeContext("http://127.0.0.1:1/v1");
    await expect(runScript(context, file)).rejects.toMatchObject({
      kind,
      message: expect.stringMatching(message),
    });
  });
});

/** Stops the store at `baseUrl`; returns what was printed. */
const stopAt = async (baseUrl: string) => {
  const { context, stderr } = storeContext(baseUrl);
  const connection = async () => ({ baseUrl: new URL(baseUrl), apiKey: storeKey });
  await runStop({ ...context, connection });
  return stderr.text;
};

describe("runStop", () => {
  it("says that no store is running", async () => {
    expect(await stopAt("http://127.0.0.1:1/v1")).toBe("No store is running at 127.0.0.1:1.\n");
  });

  it("fails if a store that was not started with --detach refuses", async () => {
    const stranger = await startStranger(reply(403, "{}", ownHeaders));
    await expect(stopAt(stranger.baseUrl)).rejects.toMatchObject({ exitCode: 4, hints: [] });
  });

  it("fails if a running store does not respond", async () => {
    const stranger = await startStranger(({ url }, response) => {
      if (url === "/healthz") response.end();
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
