import { describe, expect, it } from "vitest";
import { createContext } from "../../src/cli/create-context.ts";
import type { Runtime } from "../../src/commands/context.ts";
import type { RawGlobals } from "../../src/config/types.ts";
import { testMachine } from "../support/command/machine.ts";
import { temporaryFolder } from "../support/program/program.ts";
import { fakeClock, recordOutput } from "../support/command/terminal.ts";

const connection = { PETS_BASE_URL: "http://127.0.0.1:1/v1", PETS_API_KEY: "key-of-the-tests" };

/** Returns the context of a command, and what it prints on standard error. */
function makeContext(
  env: Record<string, string> = {},
  {
    globals = {},
    withoutSettings = false,
  }: { globals?: RawGlobals; withoutSettings?: boolean } = {},
) {
  const stderr = recordOutput();
  const clock = fakeClock();
  const runtime: Runtime = {
    argv: [],
    env: { HOME: temporaryFolder(), ...env },
    stdin: { isTTY: false, async *[Symbol.asyncIterator]() {}, ask: async () => "" },
    stdout: recordOutput(),
    stderr,
    clock,
    machine: testMachine(clock),
    kill: () => {},
    random: () => 0.5,
    signal: new AbortController().signal,
    interceptSignals: () => () => {},
    exitNow: () => {},
    interceptForwarded: () => () => {},
    program: {
      version: "1.2.3",
      node: "node",
      script: "pets.js",
      nodeVersion: "24.0.0",
      platform: "linux",
    },
  };
  return { context: createContext(runtime, { globals, withoutSettings }), stderr };
}

describe("createContext", () => {
  it("takes the settings from the options and the environment", () => {
    const { context } = makeContext({ PETS_OUTPUT: "csv" }, { globals: { quiet: true } });
    expect(context.settings).toMatchObject({ format: "csv", quiet: true });
  });

  it("refuses a wrong setting, unless the command runs without settings", () => {
    const wrong = { PETS_OUTPUT: "xml" };
    expect(() => makeContext(wrong)).toThrow(expect.objectContaining({ kind: "usage" }));
    const { context } = makeContext(wrong, { withoutSettings: true, globals: { output: "yaml" } });
    expect(context.settings.format).toBe("table");
  });

  it("takes key, base URL and limiter from one read of the profiles", async () => {
    const { context } = makeContext();
    const profile = { baseUrl: "http://127.0.0.1:1/v1", apiKey: "k", limiter: "redis://h" };
    const store = await context.profiles();
    await store.update(() => ({ current: "here", profiles: { here: profile } }));
    expect(await context.connectionTarget()).toMatchObject({ key: { value: "k" } });
    await store.update(() => ({ profiles: {} }));
    expect(await context.limiterServer()).toMatchObject({ url: "redis://h:6379" });
  });

  it("has one rate limiter for each key at an origin", async () => {
    const { context } = makeContext(connection);
    const first = await context.connection();
    const other = { ...first, apiKey: "another-key-of-the-tests" };
    const elsewhere = { ...first, baseUrl: new URL("http://127.0.0.1:2/v1") };
    const samePlace = { ...first, baseUrl: new URL("http://127.0.0.1:1/v2") };
    expect(await context.limiter(samePlace)).toBe(await context.limiter(first));
    expect(await context.limiter(other)).not.toBe(await context.limiter(first));
    expect(await context.limiter(elsewhere)).not.toBe(await context.limiter(first));
  });

  it("opens the connection of the settings", async () => {
    const { context } = makeContext(connection);
    expect(await context.connection()).toMatchObject({
      baseUrl: new URL(connection.PETS_BASE_URL),
      apiKey: connection.PETS_API_KEY,
    });
    await expect(makeContext().context.connection()).rejects.toMatchObject({ kind: "auth" });
  });

  it.each<[env: Record<string, string>, globals: RawGlobals, text: string]>([
    [{}, {}, "one\nthree\n"],
    [{ PETS_NO_DEPRECATION: "1" }, {}, ""],
    [{}, { quiet: true }, ""],
  ])("notes the first deprecation on each subject: %j, %j", async (env, globals, text) => {
    const { context, stderr } = makeContext(env, { globals });
    await context.noteDeprecation("one");
    await context.noteDeprecation("two");
    await context.noteDeprecation("three", "removal");
    expect(stderr.text).toBe(text);
  });
});
