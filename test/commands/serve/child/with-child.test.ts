import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import type { TypedOptions } from "../../../../src/cli/program.ts";
import type { Context } from "../../../../src/commands/context.ts";
import { serveWithChild } from "../../../../src/commands/serve/child/with-child.ts";
import type { ServeOptions } from "../../../../src/commands/serve/settings/options.ts";
import { readServeSettings } from "../../../../src/commands/serve/settings/settings.ts";
import { signalFailure } from "../../../../src/core/errors.ts";
import type { ForwardedSignal, TerminationSignal } from "../../../../src/platform/io.ts";
import { temporaryFolder } from "../../../support/program/program.ts";
import { profileTest } from "../../profile-context.ts";

interface Setting {
  readonly options?: ServeOptions;
  readonly globals?: TypedOptions;
  readonly isOnTerminal?: boolean;
  readonly signal?: AbortSignal;
}

type AnySignal = TerminationSignal | ForwardedSignal;

/** Runs a command on a store; returns the output, and the listener of the signals. */
function run(command: readonly [string, ...string[]], setting: Setting = {}) {
  const { options = {}, globals = {}, isOnTerminal = false, signal } = setting;
  const heard: ((signal: AnySignal) => void)[] = [];
  let released = 0;
  const intercept = (listener: (signal: never) => void) => {
    heard.push(listener as (signal: AnySignal) => void);
    return () => void (released += 1);
  };
  let elapsed = 0;
  const world = profileTest({
    globals,
    stderrIsTTY: isOnTerminal,
    env: { PATH: process.env.PATH ?? "" },
  });
  const context: Context = {
    ...world.context,
    argv: ["serve", "--", ...command],
    interceptSignals: intercept,
    interceptForwarded: intercept,
    // The next reading is after the 250 ms in which requests count as in flight.
    clock: { ...world.context.clock, monotonic: () => (elapsed += 400) },
    ...(signal && { signal }),
  };
  const settings = readServeSettings(context, command, options);
  const hear = (each: AnySignal): void => heard[0]?.(each);
  return {
    code: serveWithChild(context, settings, command),
    hear,
    stderr: world.stderr,
    released: () => released,
  };
}

describe("the exit code", () => {
  it.each<readonly [string, readonly [string, ...string[]], number, string]>([
    ["is the command's", ["sh", "-c", "exit 7"], 7, ""],
    ["is 128 + n for a signal", ["sh", "-c", "kill -9 $$"], 137, ""],
    [
      "is 127 for none that is there",
      ["no-such\x1b-command"],
      127,
      "pets: command not found: no-such\\x1b-command\n",
    ],
    ["is 127 for an empty name", [""], 127, "pets: command not found: \n"],
  ])("%s", async (_what, command, expected, said) => {
    const { code, stderr, released } = run(command);
    expect([await code, stderr.text, released()]).toEqual([expected, said, 2]);
  });

  it("is 126 for one that can't be run", async () => {
    const { code, stderr } = run(["/"]);
    expect([await code, stderr.text]).toEqual([
      126,
      expect.stringMatching(/^pets: the command cannot be run \(.*\): \/\n$/),
    ]);
  });

  it("is that of a signal that arrived before the command started", async () => {
    const failure = signalFailure("SIGTERM");
    const { code } = run(["sh", "-c", "exit 7"], { signal: AbortSignal.abort(failure) });
    await expect(code).rejects.toBe(failure);
  });
});

/** A command that writes a file when it has started, and one for each signal that it receives. */
const trap = (folder: string): readonly [string, ...string[]] => [
  "sh",
  "-c",
  `cd '${folder}'; for s in INT TERM WINCH QUIT; do trap "touch $s" $s; done; trap 'exit 5' HUP; touch ready; i=0; while [ $i -lt 1200 ]; do i=$((i + 1)); sleep 0.02; done`,
];

describe("a signal", () => {
  it.each([
    ["is passed on", false, ["SIGINT", "SIGTERM", "SIGWINCH"], ["INT", "TERM", "WINCH"]],
    [
      "of a key is left to the terminal, which sends it too",
      true,
      ["SIGINT", "SIGQUIT", "SIGWINCH", "SIGTERM"],
      ["TERM"],
    ],
  ] as const)("%s", async (_what, isOnTerminal, signals, got) => {
    const folder = temporaryFolder();
    const { code, hear } = run(trap(folder), { isOnTerminal });
    await expect.poll(() => existsSync(path.join(folder, "ready"))).toBe(true);
    for (const signal of signals) hear(signal);
    const files = [...got, "ready"].toSorted();
    await expect.poll(() => readdirSync(folder).toSorted()).toEqual(files);
    hear("SIGHUP");
    expect(await code).toBe(5);
  });
});

/** A command that sends this many requests, with a plan of one a minute, and ends with `code`. */
const asking = (times: number, code: number): readonly [string, ...string[]] => [
  process.execPath,
  "--input-type=module",
  "-e",
  `const headers = { Authorization: "Bearer " + process.env.PETS_API_KEY };
   for (let i = 0; i < ${times}; i++) {
     await (await fetch(process.env.PETS_BASE_URL + "/pets", { headers })).text();
     // Later than a request that may have been on its way.
     await new Promise((wake) => setTimeout(wake, 300));
   }
   process.exit(${code});`,
];

describe("--check", () => {
  it.each([
    ["that kept the limits passes", 2, 0, 0],
    ["that sent within a wait fails", 3, 0, 1],
    ["that failed itself has its own code", 3, 7, 7],
    ["that sent nothing is not judged", 0, 0, 2],
    ["that sent nothing and failed has its own code", 0, 7, 7],
  ])("a client %s", async (_what, times, code, expected) => {
    const report = path.join(temporaryFolder(), "report.json");
    const options = { check: true, report, plan: ["1/min,9/day"] };
    const { code: ended, stderr } = run(asking(times, code), { options });
    expect(await ended).toBe(expected);
    expect(stderr.text).not.toBe("");
    expect(JSON.parse(readFileSync(report, "utf8"))).toMatchObject({
      early: Math.max(0, times - 2),
    });
  });

  it("prints nothing with --quiet for a client that passes, and does not judge without --check", async () => {
    const plan = ["1/min,9/day"];
    const passed = run(asking(1, 0), { options: { check: true, plan }, globals: { quiet: true } });
    expect([await passed.code, passed.stderr.text]).toEqual([0, ""]);
    const unjudged = run(asking(3, 0), { options: { plan } });
    expect([await unjudged.code, unjudged.stderr.text]).toEqual([0, ""]);
  });
});

it("names the steps of a script that no request reached, without --check too", async () => {
  const script = path.join(temporaryFolder(), "script.ndjson");
  writeFileSync(script, '{"on":"GET /pets","do":"ok"}\n{"on":"POST /pets","do":503}');
  const { code, stderr } = run(asking(1, 0), { options: { script } });
  const said = 'no request reached step 2 {"on":"POST /pets","do":503} of the script\n';
  expect([await code, stderr.text]).toEqual([0, said]);
});
