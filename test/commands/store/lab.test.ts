import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { runClock, runScript } from "../../../src/commands/store/lab.ts";
import type { Context } from "../../../src/commands/context.ts";
import type { RawGlobals } from "../../../src/config/types.ts";
import { temporaryFolder } from "../../support/program/program.ts";
import { reply, startStranger } from "../../support/servers/stranger.ts";
import { ownHeaders, storeContext } from "./store-context.ts";

/** Runs a command at a store that returns `value`; returns what was printed, and the requests. */
async function run(
  value: unknown,
  work: (context: Context) => Promise<void>,
  globals: RawGlobals = {},
) {
  const stranger = await startStranger(reply(200, JSON.stringify(value), ownHeaders));
  const { context, stdout } = storeContext(stranger.baseUrl, globals);
  await work(context);
  const asked = stranger.requests.map(({ method, url, body }) => `${method} ${url} ${body}`.trim());
  return { stdout: stdout.text, asked };
}

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
    ["+soon", "<change> must be + and a number with ms, s, m, h or d, such as +61s"],
    ["+-1s", "<change> must be + and a number with ms, s, m, h or d, such as +61s"],
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

  it.each<[RawGlobals, string]>([
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
