import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import type { Context } from "../../../src/commands/context.ts";
import { clientEnvironment, serveWithChild } from "../../../src/commands/serve/child.ts";
import type { ServeOptions } from "../../../src/commands/serve/options.ts";
import { type ChildCommand, readServeSettings } from "../../../src/commands/serve/settings.ts";
import type { Service } from "../../../src/commands/serve/start-service.ts";
import { signalFailure } from "../../../src/core/errors.ts";
import type { ForwardedSignal, TerminationSignal } from "../../../src/platform/io.ts";
import { temporaryFolder } from "../../support/program/program.ts";
import { profileTest } from "../profile-context.ts";

type AnySignal = TerminationSignal | ForwardedSignal;

/** Runs a command on a store; returns the output, and the listener of the signals. */
function run(
  command: ChildCommand,
  {
    options = {},
    isQuiet = false,
    isOnTerminal = false,
    signal = new AbortController().signal,
  }: {
    readonly options?: ServeOptions;
    readonly isQuiet?: boolean;
    readonly isOnTerminal?: boolean;
    readonly signal?: AbortSignal;
  } = {},
) {
  const heard: ((signal: AnySignal) => void)[] = [];
  let released = 0;
  const intercept = (listener: (signal: never) => void) => {
    heard.push(listener as (signal: AnySignal) => void);
    return () => void (released += 1);
  };
  let elapsed = 0;
  const world = profileTest({
    globals: { quiet: isQuiet },
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
    signal,
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
  it.each<[string, ChildCommand, number, unknown]>([
    ["is the command's", ["sh", "-c", "exit 7"], 7, ""],
    ["is 128 + n for a signal", ["sh", "-c", "kill -9 $$"], 137, ""],
    [
      "is 127 for none that is there",
      ["no-such\x1b-command"],
      127,
      "pets: command not found: no-such\\x1b-command\n",
    ],
    ["is 127 for an empty name", [""], 127, "pets: command not found: \n"],
    ["is 126 for a folder", ["/"], 126, "pets: cannot run /: it is a directory\n"],
    [
      "is 127 for a line of the shell, with what to do",
      ["FOO=it's", "a b", "x"],
      127,
      "pets: command not found: FOO=it's\nTo run a line of the shell, use `-- sh -c 'FOO=it'\\''s '\\''a b'\\'' x'`.\n",
    ],
  ])("%s", async (_what, command, expected, said) => {
    const { code, stderr, released } = run(command);
    expect([await code, stderr.text, released()]).toEqual([expected, said, 2]);
  });

  it("is that of a signal that arrived before the command started", async () => {
    const failure = signalFailure("SIGTERM");
    const { code } = run(["sh", "-c", "exit 7"], { signal: AbortSignal.abort(failure) });
    await expect(code).rejects.toBe(failure);
  });
});

/** A command that writes a file when it has started, and one for each signal that it receives. */
const trap = (folder: string): ChildCommand => [
  "sh",
  "-c",
  `cd '${folder}'; for s in INT TERM WINCH QUIT; do trap "touch $s" $s; done; trap 'exit 5' HUP; touch ready; i=0; while [ $i -lt 1200 ]; do i=$((i + 1)); sleep 0.02; done`,
];

it("leaves the signals of keys to the terminal, which sends them to the command too", async () => {
  const folder = temporaryFolder();
  const { code, hear } = run(trap(folder), { isOnTerminal: true });
  await expect.poll(() => existsSync(path.join(folder, "ready"))).toBe(true);
  for (const signal of ["SIGINT", "SIGQUIT", "SIGWINCH", "SIGTERM"] as const) hear(signal);
  await expect.poll(() => readdirSync(folder).toSorted()).toEqual(["TERM", "ready"]);
  hear("SIGHUP");
  expect(await code).toBe(5);
});

/** A command that sends this many requests, with a plan of one a minute, and ends with `code`. */
const asking = (times: number, code: number): ChildCommand => [
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
  ])("a client %s", async (_what, times, code, expected) => {
    const report = path.join(temporaryFolder(), "report.json");
    const options = { check: true as const, report, plan: ["1/min,9/day"] };
    const { code: ended, stderr } = run(asking(times, code), { options });
    expect(await ended).toBe(expected);
    expect(stderr.text).not.toBe("");
    expect(JSON.parse(readFileSync(report, "utf8"))).toMatchObject({
      early: Math.max(0, times - 2),
    });
  });

  it("says beside a check that passed that the command failed", async () => {
    const { code, stderr } = run(asking(1, 7), { options: { check: true } });
    expect(await code).toBe(7);
    expect(stderr.text).toMatch(/\nCheck passed, but the command failed \(exit code 7\)\n$/);
  });

  it("with --quiet prints only what is wrong, and does not judge without --check", async () => {
    const plan = ["1/min,9/day"];
    const passed = run(asking(1, 0), { options: { check: true, plan }, isQuiet: true });
    expect([await passed.code, passed.stderr.text]).toEqual([0, ""]);
    const silent = run(asking(0, 0), { options: { check: true }, isQuiet: true });
    const unused = expect.stringMatching(/\nCheck failed: no request reached the store\n$/);
    expect([await silent.code, silent.stderr.text]).toEqual([2, unused]);
    const unjudged = run(asking(3, 0), { options: { plan } });
    expect([await unjudged.code, unjudged.stderr.text]).toEqual([0, ""]);
  });
});

it("names the steps of a script that no request reached, without --check too", async () => {
  const script = path.join(temporaryFolder(), "script.ndjson");
  writeFileSync(script, '{"on":"GET /pets","do":"ok"}\n{"on":"POST /pets","do":503}');
  const { code, stderr } = run(asking(1, 0), { options: { script } });
  const said = 'warning: no request reached step 2 {"on":"POST /pets","do":503} of the script\n';
  expect([await code, stderr.text]).toEqual([0, said]);
});

/** Returns what a command gets of `env` on a store, in these cases with a shim. */
function environment(
  env: Record<string, string>,
  platform = "linux",
  more: object = {},
  folder = "/shim",
) {
  const context = { env, program: { platform } } as unknown as Context;
  const service = { baseUrl: "http://127.0.0.1:1/v1", keys: [{ apiKey: "first", plan: "free" }] };
  const given = { ...service, ...more } as unknown as Service;
  return clientEnvironment(context, given, folder);
}

describe("the environment of a command", () => {
  it("points to the store, with `pets` on PATH and without a profile", () => {
    const ours = { PETS_PROFILE: "x", PETS_LIMITER: "x", PETS_API_KEY: "y" };
    expect(environment({ PATH: "/bin", HOME: "/h", ...ours })).toEqual({
      HOME: "/h",
      PATH: "/shim:/bin",
      PETS_BASE_URL: "http://127.0.0.1:1/v1",
      PETS_API_KEY: "first",
    });
  });

  it.each([
    ["no PATH", {}, "linux", "PATH", "/shim:/usr/local/bin:/usr/bin:/bin"],
    ["an empty PATH", { PATH: "" }, "linux", "PATH", "/shim:/usr/local/bin:/usr/bin:/bin"],
    ["Windows' spelling", { Path: "C:\\bin" }, "win32", "Path", "/shim;C:\\bin"],
  ])("with %s", (_what, env, platform, name, expected) => {
    expect(environment(env, platform)[name]).toBe(expected);
  });

  it("trusts a self-signed certificate, and what the user trusts", () => {
    const more = { certificateToTrust: "cert.pem" };
    for (const env of [{}, { NODE_EXTRA_CA_CERTS: "/missing.pem" }])
      expect(environment(env, "linux", more)["NODE_EXTRA_CA_CERTS"]).toBe(path.resolve("cert.pem"));
    const folder = temporaryFolder();
    const [own, certificate] = ["own.pem", "cert.pem"].map((name) => path.join(folder, name));
    if (own === undefined || certificate === undefined) return;
    for (const file of [own, certificate]) writeFileSync(file, path.basename(file));
    const given = { NODE_EXTRA_CA_CERTS: own };
    const env = environment(given, "linux", { certificateToTrust: certificate }, folder);
    const trusted = readFileSync(env["NODE_EXTRA_CA_CERTS"] ?? "", "utf8");
    expect(trusted).toBe("own.pem\ncert.pem");
  });

  it.each([
    [{}, undefined, undefined],
    [{ http_proxy: "" }, undefined, undefined],
    [{ http_proxy: "http://p:1" }, "127.0.0.1", "127.0.0.1"],
    [{ ALL_PROXY: "socks5://p:1", NO_PROXY: ".corp" }, ".corp,127.0.0.1", ".corp,127.0.0.1"],
    [{ HTTPS_PROXY: "p", NO_PROXY: "a", no_proxy: "b" }, "a,127.0.0.1", "b,127.0.0.1"],
  ])("reaches the store without the proxy of %j", (env: Record<string, string>, upper, lower) => {
    const { NO_PROXY, no_proxy } = environment(env);
    expect([NO_PROXY, no_proxy]).toEqual([upper, lower]);
  });
});
