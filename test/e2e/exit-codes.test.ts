import { expect, it } from "vitest";
import { failureKinds } from "../../src/core/errors.ts";
import { runHere } from "../support/command/world.ts";
import { envFor, runPets } from "../support/program/program.ts";
import { type Answer, errorBody, reply, startStranger } from "../support/servers/stranger.ts";

const list = ["list"];
const add = ["add", "--name", "Rex", "--category", "2"];
const get = ["get", "1"];

const said = (status: number, message: string, headers = {}) =>
  reply(status, errorBody(status, "code", message), headers);
const hour = { "retry-after": "3600" };
const doubt = /may or may not/;
const once = ["--max-wait", "0"];

it.each([
  [["--version"], 0],
  [["list", "--limit", "0"], 2],
  [["list", "--max-wait", "0"], 6],
])("the built program exits after %j with %i", async (args, code) => {
  const run = await runPets(args, { env: envFor({ baseUrl: "http://127.0.0.1:1/v1" }) });
  expect(run).toMatchObject({ code, signal: null });
});

/** A reply, the exit code after its only request, and what is said of it. */
it.each<[string, string[], Answer, number, RegExp]>([
  ["a bad request", add, said(400, "name is bad"), 2, /name is bad/],
  ["an unknown animal", get, said(404, "no animal 1"), 3, /no animal 1/],
  ["a refused key", list, said(401, "who are you"), 4, /who are you/],
  ["a limit, on GET", list, said(429, "slow down", hour), 5, /--max-wait/],
  ["408 on GET", [...list, ...once], reply(408, ""), 6, /408/],
  ["no response in time, on POST", [...add, "--timeout", "1s"], () => {}, 8, doubt],
  ["500 on GET", [...list, ...once], said(500, "it broke"), 7, /it broke/],
  ["a redirect", list, reply(302, "", { location: "/v2" }), 7, /302/],
  ["a rounded id", list, reply(200, '[{"id":1.0,"name":"a","categoryId":1}]'), 7, /\[0\]\.id/],
  ["a broken 201", add, reply(201, '{"id":"1"}'), 8, doubt],
])("has an exit code: %s", async (_what, args, answer, code, says) => {
  const stranger = await startStranger(answer);
  const run = await runHere([...args, "--quiet"], { env: envFor(stranger) });
  expect(run).toMatchObject({ code, stdout: "" });
  expect(run.stderr).toMatch(/^pets: [^\n]+\n(?:[^\n]+\n){0,2}$/);
  expect(run.stderr.replaceAll("\n", " ")).toMatch(says);
  expect(stranger.requests).toHaveLength(1);

  const asJson = await runHere([...args, "--json", "--quiet"], { env: envFor(stranger) });
  expect(asJson).toMatchObject({ code, stdout: "" });
  expect(asJson.stderr).toMatch(/^[^\n]+\n$/);
  expect(JSON.parse(asJson.stderr).error).toMatchObject({ exitCode: code, attempts: 1 });
});

it("has an error code that the topic lists", async () => {
  const { stdout } = await runHere(["help", "--json"]);
  const listed = JSON.parse(stdout).errorCodes.map(({ code }: { code: string }) => code);
  const kinds = Object.values(failureKinds).map(({ code }) => code);
  const ofOneCause = ["key_not_for_origin", "timeout", "already_added"];
  expect(new Set(listed)).toEqual(new Set([...kinds, ...ofOneCause]));
});

it.each([
  [["list", "--limit", "101"], /--limit/],
  [["list", "--status", "availible"], /available/],
  [["list", "--fields", "id,nam"], /nam.*name/],
  [["list", "--timeout", "5 minutes"], /--timeout/],
  [["add", "--category", "1"], /--name/],
  [["add", "--name", "Rex", "--category", "9223372036854775808"], /--category/],
  [["add", "--name", "Rex", "--category", "1", "--status", "gone"], /--status/],
  [["get", "1e3"], /1e3/],
  [["add", "--from", "x.csv", "--fields", "id"], /^--fields and --from cannot be used together/],
])("%j is reported before anything is sent", async (args, says) => {
  const stranger = await startStranger(reply(200, "[]"));
  const env = envFor(stranger, { PETS_OUTPUT: "json" });
  const { code, stdout, stderr } = await runHere(args, { env });
  expect([code, stdout]).toEqual([2, ""]);
  const { error } = JSON.parse(stderr);
  expect(error).toMatchObject({ code: "usage", exitCode: 2 });
  expect([error.message, ...(error.hints ?? [])].join(" ")).toMatch(says);
  expect(stranger.requests).toHaveLength(0);
});

const address = "https://ann:s3cr3t@host/v1";

it.each([
  ["login", address],
  ["list", `--limiter=${address}`],
  ["list", "--profile", address],
  ["list", "-o", `${address}${"/x".repeat(50)}`],
  ["list", "--fields", address, "--json"],
  ["list", "--base-url", "http:////ann:s3cr3t@127.0.0.1/v1"],
  ["list", "--base-url", "http:/\\ann:s3cr3t@127.0.0.1/v1"],
  ["keys", "list", address.replace("https", "postgres")],
  ["serve", "--cors", address],
  ["add", address],
  ["get", address],
  ["status", "--profile", address],
  ["help", address],
  [address],
])("the password of a URL is not echoed by %j", async (...args) => {
  const { code, stdout, stderr } = await runHere(args);
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).not.toMatch(/ann|s3cr3t/);
});

it.each([
  [
    ["list", "--status", "Sold", "--fields", "category,name,categoryId"],
    "categoryId,name\r\n2,Rex\r\n",
  ],
  [
    ["add", "--name", "Rex", "--category", "2", "--status", "SOLD", "--dry-run"],
    "name,categoryId,status\r\nRex,2,sold\r\n",
  ],
])("%j understands a status in any case, and category", async (args, stdout) => {
  const stranger = await startStranger(reply(200, '[{"id":1,"name":"Rex","categoryId":2}]'));
  const run = await runHere([...args, "-o", "csv", "-q"], { env: envFor(stranger) });
  expect(run).toMatchObject({ code: 0, stdout });
});
