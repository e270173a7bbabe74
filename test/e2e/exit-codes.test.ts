import { describe, expect, it } from "vitest";
import { failureKinds } from "../../src/core/errors.ts";
import { runHere } from "../support/command/world.ts";
import { cleanEnv, envFor, runPets, testKey } from "../support/program/program.ts";
import { type Answer, errorBody, reply, startStranger } from "../support/servers/stranger.ts";

const rex = '{"id":1,"name":"Rex","categoryId":2}';
const list = ["list"];
const add = ["add", "--name", "Rex", "--category", "2"];
const get = ["get", "1"];
/** A service on a port where nothing listens. */
const nobody = { baseUrl: "http://127.0.0.1:1/v1" };

/** A reply, the exit code after its only request, what is said of it, and whether trying again is worth it. */
type Case = readonly [
  what: string,
  args: string[],
  answer: Answer,
  code: number,
  says: RegExp,
  retryable?: boolean,
];

const html = "<html>Bad Gateway</html>";
const said = (status: number, message: string, headers = {}) =>
  reply(status, errorBody(status, "code", message), headers);
const to = (location: string) => ({ location });
const hour = { "retry-after": "3600" };
const big = `[${rex},{"id":9223372036854775808,"name":"a","categoryId":1}]`;
const doubt = /may or may not/;
const once = ["--max-wait", "0"];

const cases: readonly Case[] = [
  ["a bad request", add, said(400, "name is bad"), 2, /name is bad/, false],
  ["an unknown animal", get, said(404, "no animal 1"), 3, /no animal 1/, false],
  ["a refused key", list, said(401, "who are you"), 4, /who are you/, false],
  ["a forbidden request", list, reply(403, html), 4, /403/, false],
  ["a limit, on GET", list, said(429, "slow down", hour), 5, /--max-wait/, true],
  ["a limit, on POST", add, reply(429, "", hour), 5, /429/, true],
  ["408 on GET", [...list, ...once], reply(408, ""), 6, /408/, true],
  ["408 on POST", add, reply(408, ""), 8, doubt, false],
  ["no response in time, on POST", [...add, "--timeout", "200ms"], () => {}, 8, doubt, false],
  ["500 on GET", [...list, ...once], said(500, "it broke"), 7, /it broke/, true],
  ["a redirect", list, reply(302, "", to("https://elsewhere.example/v1/pets")), 7, /302/],
  ["303 on POST", add, reply(303, "", to("/v1/pets/1")), 8, doubt, false],
  ["a page for a list", list, reply(200, html), 7, /JSON/],
  ["a rounded id", list, reply(200, '[{"id":1.0,"name":"a","categoryId":1}]'), 7, /\[0\]\.id/],
  ["an id over 64 bits", list, reply(200, big), 7, /\[1\]\.id/],
  ["a broken 201", add, reply(201, '{"id":"1"}'), 8, doubt, false],
];

describe("the built program", () => {
  it("sends several requests, and exits with 3 if an animal is in no list", async () => {
    const gone = reply(410, "");
    const stranger = await startStranger((request, response, n) =>
      (n === 0 ? gone : reply(200, "[]"))(request, response, n),
    );
    const run = await runPets([...get, "--quiet"], { env: envFor(stranger) });
    expect(run).toMatchObject({ code: 3, stdout: "" });
    expect(stranger.requests).toHaveLength(5);
  });

  it("exits with 6 if the service cannot be reached", async () => {
    const run = await runPets([...list, "--max-wait", "0"], { env: envFor(nobody) });
    expect(run).toMatchObject({ code: 6, stdout: "", stderr: expect.stringMatching(/^pets: /) });
  });

  it.each([
    [["--version"], 0, /^\d+\.\d+\.\d+\n$/, /^$/],
    [["list", "--help"], 0, /Examples:/, /^$/],
    [["list", "--limit", "0"], 2, /^$/, /^pets: .*--limit.*1 to 100/],
  ])("%j: %d", async (args, code, stdout, stderr) => {
    const run = await runPets(args);
    expect(run).toMatchObject({
      code,
      stdout: expect.stringMatching(stdout),
      stderr: expect.stringMatching(stderr),
    });
  });
});

describe("each reply has its exit code", () => {
  it.for(cases)("%s", async ([, args, answer, code, says, retryable]) => {
    const stranger = await startStranger(answer);
    const run = await runHere([...args, "--quiet"], { env: envFor(stranger) });
    expect(run).toMatchObject({ code, stdout: "" });
    expect(run.stderr).toMatch(/^pets: [^\n]+\n(?:[^\n]+\n){0,2}$/);
    expect(run.stderr.replaceAll("\n", " ")).toMatch(says);
    expect(run.stderr).not.toContain(testKey);
    expect(stranger.requests).toHaveLength(1);

    const asJson = await runHere([...args, "--json", "--quiet"], { env: envFor(stranger) });
    expect(asJson).toMatchObject({ code, stdout: "" });
    expect(asJson.stderr).toMatch(/^[^\n]+\n$/);
    const { error } = JSON.parse(asJson.stderr);
    expect(error).toMatchObject({
      exitCode: code,
      attempts: 1,
      ...(retryable !== undefined && { retryable }),
    });
  });
});

describe("the code of a JSON error", () => {
  it.each([
    [add, 400, "bad_request", "bad_request", 2],
    [add, 408, "too_slow", "too_slow", 8],
    [add, 500, " ", "outcome_unknown", 8],
    [add, 303, undefined, "outcome_unknown", 8],
    [list, 401, "unauthorized", "unauthorized", 4],
    [list, 401, undefined, "bad_response", 4],
    [list, 403, undefined, "bad_response", 4],
    [list, 404, undefined, "bad_response", 3],
  ])("%j answered %i with code %j: %s, exit %i", async (args, status, sent, code, exitCode) => {
    const body = sent === undefined ? html : errorBody(status, sent, "it broke");
    const stranger = await startStranger(reply(status, body));
    const run = await runHere([...args, "--json"], { env: envFor(stranger) });
    expect(run.code).toBe(exitCode);
    expect(JSON.parse(run.stderr).error).toMatchObject({ code, exitCode, status, attempts: 1 });
  });

  it.each([
    [["list", "--profile", "ghost"], "usage", 2],
    [["list"], "no_api_key", 4],
    [["list", "--limit", "0"], "usage", 2],
    [["add", "--from", "missing.csv"], "io", 1],
  ])("of %j is %s, exit %i, and in the topic", async (args, code, exitCode) => {
    const run = await runHere([...args, "--json"], { env: cleanEnv() });
    expect(JSON.parse(run.stderr).error).toMatchObject({ code, exitCode });
    expect(await listedCodes()).toContain(code);
  });

  it("is of a kind that the topic lists, each of which the program has", async () => {
    const kinds = Object.values(failureKinds).map(({ code }) => code);
    const ofOneCause = ["key_not_for_origin", "timeout", "already_added"];
    expect(new Set(await listedCodes())).toEqual(new Set([...kinds, ...ofOneCause]));
  });
});

/** Returns the error codes of `pets help exit-codes`. */
async function listedCodes(): Promise<readonly string[]> {
  const { stdout } = await runHere(["help", "--json"]);
  return JSON.parse(stdout).errorCodes.map(({ code }: { code: string }) => code);
}

describe("invalid input is reported before anything is sent", () => {
  it.each([
    { args: ["list", "--limit", "101"], says: /--limit/ },
    { args: ["list", "--status", "availible"], says: /available/ },
    { args: ["list", "--fields", "id,nam"], says: /nam.*name/ },
    { args: ["list", "--timeout", "5 minutes"], says: /--timeout/ },
    { args: ["add", "--category", "1"], says: /--name/ },
    { args: ["add", "--name", "Rex", "--category", "9223372036854775808"], says: /--category/ },
    { args: ["add", "--name", "Rex", "--category", "1", "--status", "gone"], says: /--status/ },
    { args: ["get", "1e3"], says: /1e3/ },
  ])("$args", async ({ args, says }) => {
    const stranger = await startStranger(reply(200, "[]"));
    const run = await runHere(args, { env: envFor(stranger) });
    expect(run).toMatchObject({ code: 2, stdout: "" });
    expect(run.stderr).toMatch(/^pets: [^\n]+\n(?:[^\n]+\n){0,2}$/);
    expect(run.stderr.replaceAll("\n", " ")).toMatch(says);
    expect(stranger.requests).toHaveLength(0);

    const env = envFor(stranger, { PETS_OUTPUT: "json" });
    const asJson = await runHere(args, { env });
    expect(asJson.code).toBe(2);
    expect(JSON.parse(asJson.stderr).error).toMatchObject({ code: "usage", exitCode: 2 });
  });
});
