import { expect, it } from "vitest";
import { envFor, runPets } from "../support/program/program.ts";
import { startPaced } from "../support/servers/paced.ts";

it("logs requests, replies and waits in order with --verbose", async () => {
  const service = await startPaced((arrival, n) => {
    if (n === 0) arrival.answer(429, { "retry-after": "1" });
    else arrival.answer(200);
  });
  const { code, stderr } = await runPets(["list", "-v"], { env: envFor(service) });
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
