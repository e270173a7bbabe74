import { describe, expect, it } from "vitest";
import { runInTime } from "../support/command/world.ts";
import { envFor } from "../support/program/program.ts";
import { errorBody, reply, startStranger } from "../support/servers/stranger.ts";

/** A key as long as a large JSON Web Token, which nearly repeats itself. */
const longKey = `${"eyJhbGciOiJI".repeat(416)}.end4`;

const pets = (count: number): string =>
  JSON.stringify(
    Array.from({ length: count }, (_, id) => ({ id, name: `Rex ${id}`, categoryId: 1 })),
  );

describe("a service that lies", () => {
  it.each([
    [["list"], 101, "[100] exceeds the maximum of 100 animals"],
    [["list", "--limit", "3"], 100_000, "[100] exceeds the maximum of 100 animals"],
  ])("sends `pets %j` %i animals", async (args, count, problem) => {
    const { baseUrl } = await startStranger(reply(200, pets(count)));
    const { code, stdout, stderr } = await runInTime(args, { env: envFor({ baseUrl }) });
    expect([code, stdout]).toEqual([7, ""]);
    expect(stderr).toContain(problem);
  });

  it.each([
    [["list", "--limit", "3", "-o", "tsv"], /^.*\n0\t.*\n1\t.*\n2\t.*\n$/],
    [["status"], /^/],
    [["limits", "--refresh"], /^/],
  ])("ignores the limit of `pets %j`, and is cut to it", async (args, expected) => {
    const { baseUrl } = await startStranger(reply(200, pets(100)));
    const run = await runInTime(args, { env: envFor({ baseUrl }) });
    expect(run).toMatchObject({ code: 0, stdout: expect.stringMatching(expected) });
  });

  it.each([
    ["as it is", longKey, [longKey.slice(0, 200), longKey.slice(-100)]],
    ["nearly, many times", longKey.slice(1).repeat(100), [longKey]],
  ])("sends a key of 5,000 characters back %s", async (_how, text, secrets) => {
    const { baseUrl } = await startStranger((request, response, n) => {
      const answer =
        request.method === "POST"
          ? reply(201, JSON.stringify({ id: 1, name: text, categoryId: 1 }))
          : reply(401, errorBody(401, "unauthorized", `no ${text} here`));
      answer(request, response, n);
    });
    const env = envFor({ baseUrl, apiKey: longKey });
    const runs = [
      await runInTime(["list", "--verbose"], { env }),
      await runInTime(["list", "--json"], { env }),
      await runInTime(["add", "--name", "Rex", "--category", "1", "--json"], { env }),
      await runInTime(["get", longKey], { env }),
    ];
    expect(runs.map(({ code }) => code)).toEqual([4, 4, 0, 2]);
    const printed = runs.map(({ stdout, stderr }) => stdout + stderr).join("");
    for (const hidden of secrets) expect(printed.includes(hidden)).toBe(false);
  });
});
