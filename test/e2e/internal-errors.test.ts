import path from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { cleanEnv, type Finished, runPets } from "../support/program.ts";
import { startStranger } from "../support/stranger.ts";

const fault = pathToFileURL(path.join(import.meta.dirname, "../support/internal-error.mjs")).href;

async function runWithFault(args: readonly string[]): Promise<Finished> {
  const { baseUrl } = await startStranger(() => {});
  const env = {
    ...cleanEnv(),
    NODE_OPTIONS: `--import=${fault}`,
    PETS_BASE_URL: baseUrl,
    PETS_API_KEY: "key-of-the-tests",
  };
  return runPets(args, { env });
}

describe("a fault in pets itself that nobody catches", () => {
  it("is exit 1 and one line that says where to report it", async () => {
    const run = await runWithFault(["list"]);
    expect(run).toMatchObject({ code: 1, stdout: "" });
    expect(run.stderr).toMatch(/^pets: this is a fault in pets itself: made by a test;.*issues\n$/);
  });

  it("is a line of JSON with --json", async () => {
    const run = await runWithFault(["list", "--json"]);
    expect(run).toMatchObject({ code: 1, stdout: "" });
    expect(JSON.parse(run.stderr).error).toMatchObject({ code: "internal", exitCode: 1 });
  });

  it("shows its stack with --verbose", async () => {
    const run = await runWithFault(["list", "--verbose"]);
    expect(run.stderr).toMatch(
      /\nError: made by a test\n +at .*fault\.mjs[^]*\npets: this is a fault/,
    );
  });
});
