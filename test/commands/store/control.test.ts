import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import type { TypedOptions } from "../../../src/cli/program.ts";
import { runCheck, runStop } from "../../../src/commands/store/control.ts";
import { temporaryFolder } from "../../support/program/program.ts";
import { reply, startStranger } from "../../support/servers/stranger.ts";
import { ownHeaders, storeContext, storeKey } from "./store-context.ts";

/** Stops the store at `baseUrl`; returns what was printed. */
const stopAt = async (baseUrl: string) => {
  const { context, stderr } = storeContext(baseUrl);
  const connection = async () => ({ baseUrl: new URL(baseUrl), apiKey: storeKey });
  await runStop({ ...context, connection });
  return stderr.text;
};

describe("runStop", () => {
  it("says that no store is running", async () => {
    expect(await stopAt("http://127.0.0.1:1/v1")).toBe("No store is running at 127.0.0.1:1.\n");
  });

  it("fails if a store that was not started with --detach refuses", async () => {
    const stranger = await startStranger(reply(403, "{}", ownHeaders));
    await expect(stopAt(stranger.baseUrl)).rejects.toMatchObject({ exitCode: 4, hints: [] });
  });

  it("fails if a running store does not respond", async () => {
    const stranger = await startStranger(({ url }, response) => {
      if (url === "/healthz") response.end();
      else response.destroy();
    });
    await expect(stopAt(stranger.baseUrl)).rejects.toMatchObject({ kind: "unreachable" });
  });
});

describe("runCheck", () => {
  const polite = { requests: { 200: 3 }, early: 0, bans: 0, duplicates: [], abandoned: 0 };
  const rude = { ...polite, early: 2, duplicates: [{ name: "Rex", ids: [1, 2] }] };

  it.each<[object, TypedOptions, number, string]>([
    [polite, {}, 0, "Check passed\n"],
    [{ ...polite, requests: {} }, {}, 2, "Check failed: no request reached the store\n"],
    [rude, {}, 1, '"Rex" (ids 1, 2)'],
    [rude, { json: true }, 1, `${JSON.stringify(rude)}\n`],
  ])("of %j with %j returns %i", async (verdict, globals, code, text) => {
    const report = path.join(temporaryFolder(), "report.json");
    const stranger = await startStranger((request, response, n) => {
      const value = request.url === "/_store/script" ? { steps: [] } : verdict;
      reply(200, JSON.stringify(value), ownHeaders)(request, response, n);
    });
    const { context, stdout } = storeContext(stranger.baseUrl, globals);
    expect(await runCheck(context, { report })).toBe(code);
    expect(stdout.text).toContain(text);
    expect(JSON.parse(readFileSync(report, "utf8"))).toEqual(verdict);
  });
});
