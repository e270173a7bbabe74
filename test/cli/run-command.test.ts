import { assert, asyncProperty, bigInt, string } from "fast-check";
import { describe, expect, it } from "vitest";
import { type ErrorDisplay, errorDisplayOptions } from "../../src/cli/run-command.ts";
import type { RawGlobals } from "../../src/config/types.ts";
import type { Environment } from "../../src/platform/io.ts";
import { startTestStore } from "../support/store.ts";
import { errorBody, reply, startStranger } from "../support/stranger.ts";
import { fakeClock } from "../support/terminal.ts";
import { runHere } from "../support/world.ts";

const int64Max = "9223372036854775807";
const int64Min = "-9223372036854775808";

async function storeEnv(): Promise<Record<string, string>> {
  const { baseUrl, apiKey } = await startTestStore({ seed: 3 });
  return { PETS_BASE_URL: baseUrl, PETS_API_KEY: apiKey };
}

describe("add, list and get, against the store", () => {
  it.each([int64Max, int64Min, "0", "9007199254740993"])(
    "category %s survives",
    async (category) => {
      const env = await storeEnv();
      const added = await runHere(["add", "--name", "Rex", "--category", category, "--json"], {
        env,
      });
      expect(added).toMatchObject({ code: 0, stderr: "" });
      expect(added.stdout).toMatch(
        new RegExp(`^\\{"id":\\d+,"name":"Rex","categoryId":${category}\\}\n$`),
      );
      const id = /\d+/.exec(added.stdout)?.[0] ?? "";
      const got = await runHere(["get", id, "--quiet", "-o", "csv"], { env });
      expect(got.stdout).toBe(`id,name,categoryId,status\r\n${id},Rex,${category},\r\n`);
      const listed = await runHere(["list", "--limit", "1", "-o", "tsv", "-q"], { env });
      expect(listed.stdout).toBe(`id\tname\tcategoryId\tstatus\n${id}\tRex\t${category}\t\n`);
    },
  );

  it("names and categories come back as they went in", async () => {
    const env = await storeEnv();
    const name = string({ unit: "binary", minLength: 1, maxLength: 60 }).filter(
      (text) => text.trim() !== "" && !text.includes("\0") && text.isWellFormed(),
    );
    const category = bigInt(-(2n ** 63n), 2n ** 63n - 1n);
    await assert(
      asyncProperty(name, category, async (text, id) => {
        const argv = [
          "add",
          `--name=${text}`,
          `--category=${id}`,
          "--json",
          "--fields",
          "name,categoryId",
        ];
        const run = await runHere(argv, { env });
        expect(run).toMatchObject({ code: 0, stderr: "" });
        expect(run.stdout).toContain(`"categoryId":${id}}`);
        expect(JSON.parse(run.stdout)).toMatchObject({ name: text });
      }),
      { numRuns: 50 },
    );
  });

  it("-q prints the new id alone, unless a format was asked for", async () => {
    const env = await storeEnv();
    const quiet = await runHere(["add", "--name", "Rex", "--category", "1", "-q"], { env });
    expect(quiet.stdout).toMatch(/^\d+\n$/);
    const asked = await runHere(["add", "--name", "Rex", "--category", "1", "-q"], {
      env: { ...env, PETS_OUTPUT: "ndjson" },
    });
    expect(asked.stdout).toMatch(/^\{"id":\d+,"name":"Rex","categoryId":1\}\n$/);
  });

  it("a name may look like an option", async () => {
    const env = await storeEnv();
    const run = await runHere(["add", "--name", "--json", "--category", "-5", "-q", "--json"], {
      env,
    });
    expect(JSON.parse(run.stdout)).toMatchObject({ name: "--json", categoryId: -5 });
  });

  it.each([
    [["list", "--limit", "2"], /^Showing 2 animals; there may be more\. .*--limit 100/],
    [["list", "--limit", "1"], /^Showing 1 animal; there may be more\./],
    [["list", "--limit", "2", "--quiet"], /^$/],
    [["list", "--status", "sold"], /^$/],
    [["list", "--status", "sold", "--json"], /^$/],
  ])("%j says what there is to say", async (argv, says) => {
    const env = await storeEnv();
    const run = await runHere(argv, { env });
    expect(run.code).toBe(0);
    expect(run.stderr).toMatch(says);
  });

  it("options stand before the command or after it; what is nearer to its end wins", async () => {
    const env = await storeEnv();
    const before = await runHere(["--json", "--fields", "id", "list", "--limit", "1"], { env });
    expect(before.stdout).toMatch(/^\[\{"id":\d+\}\]\n$/);
    const both = await runHere(
      ["-o", "json", "list", "--limit", "1", "-o", "csv", "--fields", "status"],
      { env },
    );
    expect(both.stdout).toBe("status\r\nsold\r\n");
  });

  it("on a terminal what is missing is asked for", async () => {
    const env = await storeEnv();
    const terminal = { columns: 80 };
    const run = await runHere(["add", "--json"], { env, terminal, answers: ["Rex", "7"] });
    expect(JSON.parse(run.stdout)).toMatchObject({ name: "Rex", categoryId: 7 });
    const wrong = await runHere(["add"], { env, terminal, answers: ["Rex", "seven"] });
    expect(wrong).toMatchObject({ code: 2, stdout: "" });
  });
});

describe("what is deprecated", () => {
  it("get says so once, and -q or PETS_NO_DEPRECATION silence it", async () => {
    const env = await storeEnv();
    const told = await runHere(["get", "1"], { env });
    expect(told.stderr.match(/5 December 2030/g)).toHaveLength(1);
    expect((await runHere(["get", "1", "-q"], { env })).stderr).toBe("");
    const silenced = await runHere(["get", "1"], { env: { ...env, PETS_NO_DEPRECATION: "1" } });
    expect(silenced.stderr).toBe("");
  });

  it.each([
    ["the day that is known", "Thu, 05 Dec 2030 23:59:59 GMT", 1],
    ["another day", "Tue, 01 Jan 2030 00:00:00 GMT", 2],
    ["nothing", "", 1],
  ])("a Sunset header on get's reply that names %s", async (_what, sunset, notes) => {
    const pet = '{"id":1,"name":"Rex","categoryId":2}';
    const stranger = await startStranger(reply(200, pet, { sunset, deprecation: "@1764892800" }));
    const env = { ...(await storeEnv()), PETS_BASE_URL: stranger.baseUrl };
    const { stderr } = await runHere(["get", "1"], { env });
    expect(stderr.match(/\n/g)).toHaveLength(notes);
    expect(stderr.includes("removed on 1 January 2030")).toBe(notes === 2);
  });

  it("a service that sends more than was asked for has its animals counted", async () => {
    const pets = Array.from({ length: 3 }, (_, id) => ({ id, name: "Rex", categoryId: 1 }));
    const stranger = await startStranger(reply(200, JSON.stringify(pets)));
    const env = { ...(await storeEnv()), PETS_BASE_URL: stranger.baseUrl };
    const { stderr } = await runHere(["list", "--limit", "2"], { env });
    expect(stderr).toMatch(/^Showing 3 animals;/);
  });

  it("get says in JSON too that it sees no further", async () => {
    const gone = await startStranger(({ url }, response) => {
      response.writeHead(url === "/v1/pets/1" ? 410 : 200).end("[]");
    });
    const env = { ...(await storeEnv()), PETS_BASE_URL: gone.baseUrl };
    const { stderr } = await runHere(["get", "1", "--json", "-q"], { env });
    expect(stderr).toMatch(/^\{"error":.*cannot see further than 100 animals/);
  });

  it("a Sunset header on another reply is told once", async () => {
    const env = await storeEnv();
    const sunset = { sunset: "Tue, 01 Jan 2030 00:00:00 GMT" };
    const stranger = await startStranger(reply(200, "[]", sunset));
    const strange = { ...env, PETS_BASE_URL: stranger.baseUrl };
    const run = await runHere(["list", "--json"], { env: strange });
    expect(run.stderr.match(/2030/g)).toHaveLength(1);
    expect((await runHere(["list", "--json", "-q"], { env: strange })).stderr).toBe("");
  });

  it("once get is gone, the animal is looked for in the lists", async () => {
    const env = await storeEnv();
    const pets = '[{"id":7,"name":"Rex","categoryId":1,"status":"sold"}]';
    const stranger = await startStranger((request, response, n) => {
      if (request.url.includes("status=sold")) return reply(200, pets)(request, response, n);
      if (request.url.includes("?")) return reply(200, "[]")(request, response, n);
      return reply(410, errorBody(410, "gone", "gone"))(request, response, n);
    });
    const strange = { ...env, PETS_BASE_URL: stranger.baseUrl };
    const found = await runHere(["get", "7", "--json", "-q"], { env: strange });
    expect(JSON.parse(found.stdout)).toMatchObject({ id: 7, status: "sold" });
    const missing = await runHere(["get", "8", "-q"], { env: strange });
    expect(missing).toMatchObject({ code: 3, stdout: "" });
    expect(missing.stderr).toMatch(/100/);
  });
});

describe("waits", () => {
  it("a 429 is waited out as announced, told, and the animal is added once", async () => {
    const env = await storeEnv();
    const clock = fakeClock();
    const stranger = await startStranger((request, response, n) =>
      n === 0
        ? reply(429, "", { "retry-after": "20" })(request, response, n)
        : reply(201, '{"id":1,"name":"Rex","categoryId":1}')(request, response, n),
    );
    const run = await runHere(["add", "--name", "Rex", "--category", "1", "--json"], {
      env: { ...env, PETS_BASE_URL: stranger.baseUrl },
      clock,
    });
    expect(run.code).toBe(0);
    expect(clock.monotonic()).toBeGreaterThanOrEqual(20_000);
    expect(clock.monotonic()).toBeLessThanOrEqual(22_000);
    expect(run.stderr).toMatch(/^waiting .*--max-wait/);
    expect(stranger.requests).toHaveLength(2);
  });

  it("a second and a third 429 end the command with 5 and the time from which it may be tried", async () => {
    const env = await storeEnv();
    const stranger = await startStranger(reply(429, "", { "retry-after": "5" }));
    const run = await runHere(["list", "--json", "-q"], {
      env: { ...env, PETS_BASE_URL: stranger.baseUrl },
    });
    expect(run.code).toBe(5);
    expect(JSON.parse(run.stderr).error).toMatchObject({
      code: "rate_limited",
      attempts: 3,
      retryable: true,
    });
    expect(stranger.requests).toHaveLength(3);
  });
});

it.each<[RawGlobals, Environment, Partial<ErrorDisplay>]>([
  [{}, {}, { json: false, verbose: false, color: true }],
  [{ json: true }, {}, { json: true }],
  [{ output: "json" }, {}, { json: true }],
  [{ output: "ndjson" }, {}, { json: true }],
  [{ output: "csv" }, {}, { json: false }],
  [{ output: "xml" }, {}, { json: false }],
  [{}, { PETS_OUTPUT: "json" }, { json: true }],
  [{ output: "table" }, { PETS_OUTPUT: "json" }, { json: false }],
  [{ verbose: true, color: false }, {}, { verbose: true, color: false }],
])("%j with %j", (globals, env, expected) => {
  expect(errorDisplayOptions(globals, env)).toMatchObject(expected);
});
