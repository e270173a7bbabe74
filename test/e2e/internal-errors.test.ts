import path from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import {
  cleanEnv,
  envFor,
  type Finished,
  finished,
  runPets,
  startPets,
} from "../support/program/program.ts";
import { startStranger } from "../support/servers/stranger.ts";

const preload = pathToFileURL(
  path.join(import.meta.dirname, "../support/program/internal-error.mjs"),
).href;

/** Runs the program up to its first request, and throws an uncaught error there. */
async function runToError(args: readonly string[]): Promise<Finished> {
  const asked = Promise.withResolvers<void>();
  const stranger = await startStranger(() => asked.resolve());
  const child = startPets(args, { env: envFor(stranger, { NODE_OPTIONS: `--import=${preload}` }) });
  const end = finished(child);
  await Promise.race([asked.promise, end]);
  child.kill("SIGUSR2");
  return end;
}

describe("an internal error", () => {
  it("is exit 1 and one line that says where to report it", async () => {
    const run = await runToError(["list"]);
    expect(run).toMatchObject({ code: 1, stdout: "" });
    expect(run.stderr).toMatch(
      /^pets: internal error: made by a test; please report it to the maintainers\n.*--verbose.*\n$/,
    );
  });

  it("shows its stack with --verbose", async () => {
    const run = await runToError(["list", "--verbose"]);
    expect(run.stderr).toMatch(
      /\nError: made by a test\n +at .*internal-error\.mjs[^]*\npets: internal error/,
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
