import path from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { cleanEnv, envFor, finished, runPets, startPets } from "../support/program/program.ts";
import { startStranger } from "../support/servers/stranger.ts";

const preload = pathToFileURL(
  path.join(import.meta.dirname, "../support/program/internal-error.mjs"),
).href;

describe("an internal error", () => {
  it("is exit 1, and says where to report it; its stack comes with --verbose", async () => {
    const asked = Promise.withResolvers<void>();
    const stranger = await startStranger(() => asked.resolve());
    const env = envFor(stranger, { NODE_OPTIONS: `--import=${preload}` });
    const child = startPets(["list", "--verbose"], { env });
    const end = finished(child);
    await Promise.race([asked.promise, end]);
    child.kill("SIGUSR2");
    const { code, stdout, stderr } = await end;
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(
      /\nError: made by a test\n +at .*internal-error\.mjs[^]*\npets: internal error: made by a test; please report it to the maintainers\n$/,
    );
  });

  it("is reported if nothing can finish a command any more, which Node would end with 0", async () => {
    const code = `import { Readable } from "node:stream";
      Object.defineProperty(process, "stdin", { value: new Readable({ read() {} }) });`;
    const preloaded = `--import=data:text/javascript,${encodeURIComponent(code)}`;
    const env = { ...cleanEnv(), NODE_OPTIONS: preloaded };
    const login = ["login", "--base-url", "https://store.example/v1"];
    const run = await runPets(login, { env });
    expect(run).toMatchObject({ code: 1, stdout: "" });
    expect(run.stderr).toMatch(/^pets: internal error: the command did not finish;/);
    const verbose = await runPets([...login, "-v"], { env });
    expect(verbose.stderr).toMatch(/\n +at .*\bsrc\/main\.ts:\d+:\d+/);
  });
});
