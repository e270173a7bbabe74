import { describe, expect, it } from "vitest";
import { createContext } from "../../src/commands/context.ts";
import type { TypedOptions } from "../../src/config/settings.ts";
import type { Environment } from "../../src/platform/io.ts";
import { makeRuntime } from "../support/command/runtime.ts";

const connection = { PETS_BASE_URL: "http://127.0.0.1:1/v1", PETS_API_KEY: "key-of-the-tests" };

/** Returns the context of a command, and what it prints on standard error. */
function makeContext(env: Environment = {}, typed: TypedOptions = {}, ignoresEnvironment = false) {
  const { runtime, stderr } = makeRuntime({ env });
  return { context: createContext(runtime, typed, { ignoresEnvironment }), stderr };
}

describe("createContext", () => {
  it("refuses a wrong setting, but not one that the command ignores", () => {
    const wrong = { PETS_OUTPUT: "xml" };
    const usage = expect.objectContaining({ kind: "usage" });
    expect(() => makeContext(wrong)).toThrow(usage);
    expect(() => makeContext({}, { output: "yaml" }, true)).toThrow(usage);
    const { context } = makeContext(wrong, { output: "json" }, true);
    expect(context.settings.format).toBe("json");
  });

  it("takes key, base URL and limiter from one read of the profiles", async () => {
    const { context } = makeContext();
    const here = { baseUrl: "http://127.0.0.1:1/v1", apiKey: "key-1234", limiter: "redis://h" };
    const store = await context.profiles();
    await store.update(() => ({ current: "here", profiles: { here } }));
    expect(await context.service.target()).toMatchObject({ key: { value: "key-1234" } });
    await store.update(() => ({ profiles: {} }));
    const { limiterServer } = await context.service.connection();
    expect(limiterServer).toMatchObject({ url: "redis://h:6379" });
  });

  it.each<[TypedOptions, string]>([
    [{}, "pets list"],
    [{ profile: "flaky" }, "pets list --profile flaky"],
    [
      { baseUrl: "http://b.example/v1/it's", allowHttp: true },
      "pets list --base-url 'http://b.example/v1/it'\\''s' --allow-http",
    ],
  ])("with %j names a command to the same service: %s", (globals, command) => {
    const { context } = makeContext({ PETS_PROFILE: "shop", ...connection }, globals);
    expect(context.commandHere("list")).toBe(command);
  });

  it("has one rate limiter for each key at an origin", async () => {
    const { context } = makeContext(connection);
    const first = await context.service.connection();
    const other = { ...first, apiKey: "another-key-of-the-tests" };
    const elsewhere = { ...first, baseUrl: new URL("http://127.0.0.1:2/v1") };
    const samePlace = { ...first, baseUrl: new URL("http://127.0.0.1:1/v2") };
    expect(await context.service.limiter(samePlace)).toBe(await context.service.limiter(first));
    expect(await context.service.limiter(other)).not.toBe(await context.service.limiter(first));
    expect(await context.service.limiter(elsewhere)).not.toBe(await context.service.limiter(first));
  });

  it.each([
    [false, "a\\nb\\x1b\nwarning: mended\n"],
    [true, ""],
  ])("prints notes and warnings, quiet: %s, as %j", async (quiet, text) => {
    const { context, stderr } = makeContext({}, { quiet });
    await context.note("a\nb\x1b");
    await context.warn("mended");
    await context.warn("mended");
    expect(stderr.text).toBe(text);
  });

  it.each<[env: Record<string, string>, globals: TypedOptions, text: string]>([
    [{}, {}, "one\nthree\n"],
    [{ PETS_NO_DEPRECATION: "1" }, {}, ""],
    [{}, { quiet: true }, ""],
  ])("notes the first deprecation of each kind: %j, %j", async (env, globals, text) => {
    const { context, stderr } = makeContext(env, globals);
    await context.noteDeprecation("one");
    await context.noteDeprecation("two");
    await context.noteDeprecation("three", "run");
    expect(stderr.text).toBe(text);
  });
});
