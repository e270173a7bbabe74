import path from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it } from "vitest";
import { cleanEnv, runPets } from "../support/program.ts";
import { startStranger } from "../support/stranger.ts";

const fault = pathToFileURL(path.join(import.meta.dirname, "../support/fault.mjs")).href;

it("a fault in pets itself is exit 1 and one line that says where to report it", async () => {
  const { baseUrl } = await startStranger(() => {});
  const env = {
    ...cleanEnv(),
    NODE_OPTIONS: `--import=${fault}`,
    PETS_BASE_URL: baseUrl,
    PETS_API_KEY: "key-of-the-tests",
  };
  const run = await runPets(["list"], { env });
  expect(run).toMatchObject({ code: 1, stdout: "" });
  expect(run.stderr).toMatch(/^pets: this is a fault in pets itself: made by a test;.*issues\n$/);
});
