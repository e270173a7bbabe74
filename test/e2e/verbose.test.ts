import { expect, it } from "vitest";
import { startPaced } from "../support/paced.ts";
import { cleanEnv, runPets } from "../support/program.ts";

it("--verbose tells of requests, replies and waits in their order", async () => {
  const service = await startPaced((arrival, n) => {
    if (n === 0) arrival.answer(429, { "retry-after": "1" });
    else arrival.answer(200);
  });
  const env = { ...cleanEnv(), PETS_BASE_URL: service.baseUrl, PETS_API_KEY: "key-of-the-test" };
  const { code, stderr } = await runPets(["list", "-v"], { env });
  expect(code).toBe(0);
  expect(stderr.split("\n").map((line) => line.split(" ").slice(0, 2).join(" "))).toEqual([
    "> GET",
    "< 429",
    expect.stringMatching(/^waiting \d/),
    "> GET",
    "< 200",
    "No animals.",
    "",
  ]);
});
