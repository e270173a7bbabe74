import type http from "node:http";
import { describe, expect, it } from "vitest";
import type { Failure } from "../../src/core/errors.ts";
import { type Answer, connect, failureOf, rex, serve } from "./support/service.ts";

const newPet = { name: "Rex", categoryId: 2n };
const html = "<html>oops</html>";
const said = (status: number) => ({ code: `code_${status}`, message: `Said ${status}.`, status });

type Expected = Pick<Failure, "kind"> &
  Partial<Pick<Failure, "code"> & Pick<Failure["facts"], "attempts" | "retryable">>;

async function expectFailure(
  operation: "list" | "add",
  answer: Answer,
  { kind, code, attempts = 1, retryable = false }: Expected,
): Promise<Failure> {
  await using service = await serve(answer);
  const { api } = connect(service.baseUrl);
  const failure = await failureOf(operation === "add" ? api.add(newPet) : api.list({}));
  expect(failure).toMatchObject({
    kind,
    facts: { attempts, retryable },
    ...(code !== undefined && { code }),
  });
  expect(service.requests).toHaveLength(attempts);
  expect(failure.message).not.toContain("html");
  expect(failure.hints.length).toBeLessThanOrEqual(2);
  return failure;
}

const unknown = { kind: "outcome_unknown", code: "outcome_unknown" } as const;
const broken = { kind: "service", code: "bad_response", retryable: true } as const;
const foreign = { kind: "service", code: "bad_response" } as const;
const trouble = { ...broken, attempts: 4 } as const;
const usage = { kind: "rejected", code: "usage" } as const;
const auth = { kind: "auth", code: "bad_response" } as const;
const limited = {
  kind: "rate_limited",
  code: "rate_limited",
  attempts: 3,
  retryable: true,
} as const;
const late = { kind: "unreachable", code: "timeout", attempts: 4, retryable: true } as const;

/** What a status without an Error body means for a GET, and for a POST. */
const statuses: readonly [status: number, get: Expected, post: Expected][] = [
  [200, broken, unknown],
  [201, broken, unknown],
  [204, broken, unknown],
  [301, foreign, foreign],
  [302, foreign, foreign],
  [303, foreign, unknown],
  [304, foreign, foreign],
  [307, foreign, foreign],
  [400, usage, usage],
  [401, auth, auth],
  [403, auth, auth],
  [404, { kind: "not_found", code: "bad_response" }, { kind: "not_found", code: "bad_response" }],
  [405, foreign, foreign],
  [408, late, unknown],
  [409, usage, usage],
  [410, foreign, foreign],
  [413, usage, usage],
  [422, usage, usage],
  [429, limited, limited],
  [500, trouble, unknown],
  [501, broken, broken],
  [502, trouble, unknown],
  [503, trouble, unknown],
  [504, trouble, unknown],
  [505, broken, broken],
  [511, broken, broken],
  [599, broken, unknown],
];
const cases = statuses.flatMap(([status, get, post]) => [
  ["list", status, get] as const,
  ["add", status, post] as const,
]);

describe("a status", () => {
  it.each(cases)("of a %s, %i: %j", async (operation, status, expected) => {
    const failure = await expectFailure(operation, [status, html], expected);
    expect(failure.facts.status).toBe(status);
    expect(failure.facts).not.toHaveProperty("hasErrorBody");
    const what =
      status === 401 ? "rejected the API key …last \\(401\\)" : `responded with ${status}`;
    expect(failure.message).toMatch(new RegExp(`^127\\.0\\.0\\.1:\\d+ ${what}`));
    expect(failure.message.endsWith("; the animal may or may not have been added")).toBe(
      expected.kind === "outcome_unknown",
    );
    if (status < 400) return;
    const inWords = { ...expected, code: `code_${status}` };
    const ofService = await expectFailure(operation, [status, said(status)], inWords);
    expect(ofService.facts.hasErrorBody).toBe(true);
    expect(ofService.message).toContain(`Said ${status}.`);
  });

  it("has its own code if that of the service is blank", async () => {
    const failure = await expectFailure("add", [500, { ...said(500), code: " " }], unknown);
    expect(failure.facts.hasErrorBody).toBe(true);
  });
});

describe("a hint", () => {
  const logIn = "log in: `pets login --profile x`";
  const here = /^Check the base URL: it is http:.*\/v1\.$/;
  it.each<[string, Answer, string | RegExp | undefined]>([
    ["a refused key", [401], logIn],
    ["a refused key in the service's words", [403, said(403)], logIn],
    ["404 of something else", [404, html], here],
    ["404 of the service", [404, said(404)], undefined],
    ["a redirect", [302, "", { location: "https://b.example/" }], here],
    ["a page", [200, html], here],
    ["a broken record", [200, [{ ...rex, name: 1 }]], "Report it to the operator of the service."],
    ["a service in trouble", [502], "Try again later."],
    ["its own time-out", [408], "Try again later."],
    ["a body that is cut off", (response) => cutOff(response), "Try again later."],
    ["a ban", [429, "", { "retry-after": "600" }], /^Try again at .*, or allow a longer wait with/],
    ["503 with a wait", [503, "", { "retry-after": "600" }], /^Try again at .*--max-wait`\.$/],
    ["wrong usage", [400, said(400)], undefined],
  ])("after %s", async (_what, answer, hint) => {
    await using stranger = await serve(answer);
    const failure = await failureOf(connect(stranger.baseUrl, { keyHint: logIn }).api.list({}));
    const banned = "More requests before then may get the key banned.";
    const isBan = failure.facts.status === 429;
    const hints = hint === undefined ? [] : isBan ? [hint, banned] : [hint];
    expect(failure.hints).toHaveLength(hints.length);
    for (const [at, each] of hints.entries()) expect(failure.hints[at]).toMatch(each);
  });

  it("names the command that shows whether an animal was added", async () => {
    await using service = await serve([500]);
    const listCommand = "pets list --profile flaky";
    const failure = await failureOf(connect(service.baseUrl, { listCommand }).api.add(newPet));
    expect(failure.hints).toEqual([`Check with \`${listCommand}\` before you add it again.`]);
  });

  it("asks for /v1 if the base URL does not end so, after a 404 of the service too", async () => {
    await using stranger = await serve([404, said(404)]);
    const url = new URL("/v2/", stranger.baseUrl);
    const failure = await failureOf(connect(url).api.list({}));
    expect(failure.hints).toEqual([`Does the base URL end in /v1? It is ${url.href}.`]);
  });
});

function cutOff(response: http.ServerResponse): void {
  response.writeHead(200, { "content-length": "99" }).write("[");
  setImmediate(() => response.destroy());
}

it("reports a redirect without its password, and does not follow it", async () => {
  await using other = await serve([200, []]);
  const location = other.baseUrl.href.replace("//", "//user:secret@");
  const failure = await expectFailure("list", [302, "", { location }], foreign);
  expect(failure.message).toContain(`a redirect to ${other.baseUrl.href}, which is not followed`);
  expect(other.requests).toHaveLength(0);
});
