import { describe, expect, it } from "vitest";
import type { Failure } from "../../src/core/errors.ts";
import { type Answer, connect, failureOf, rex, rexPet, serve } from "./support/service.ts";

const newPet = { name: "Rex", categoryId: 2n };
const html = "<html>oops</html>";
const said = (status: number) => ({ code: `code_${status}`, message: `Said ${status}.`, status });

interface Expected {
  readonly kind: Failure["kind"];
  readonly code?: string;
  readonly attempts?: number;
  readonly retryable?: boolean;
}

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

it("says to retry later if the service runs into its own time-out", async () => {
  const expected = { kind: "unreachable", attempts: 4, retryable: true } as const;
  const failure = await expectFailure("list", [408], expected);
  expect(failure.hints).toEqual(["try again later"]);
});

const getCases: [number, Expected][] = [
  [201, { kind: "service", code: "bad_response", retryable: true }],
  [204, { kind: "service", code: "bad_response", retryable: true }],
  [301, { kind: "service" }],
  [302, { kind: "service" }],
  [303, { kind: "service" }],
  [304, { kind: "service" }],
  [307, { kind: "service" }],
  [400, { kind: "usage" }],
  [401, { kind: "auth" }],
  [403, { kind: "auth" }],
  [404, { kind: "not_found" }],
  [405, { kind: "service" }],
  [408, { kind: "unreachable", attempts: 4, retryable: true }],
  [409, { kind: "usage" }],
  [410, { kind: "service" }],
  [413, { kind: "usage" }],
  [418, { kind: "usage" }],
  [422, { kind: "usage" }],
  [429, { kind: "rate_limited", attempts: 3, retryable: true }],
  [500, { kind: "service", attempts: 4, retryable: true }],
  [501, { kind: "service", retryable: true }],
  [502, { kind: "service", attempts: 4, retryable: true }],
  [503, { kind: "service", attempts: 4, retryable: true }],
  [504, { kind: "service", attempts: 4, retryable: true }],
  [505, { kind: "service", retryable: true }],
  [511, { kind: "service", retryable: true }],
  [599, { kind: "service", retryable: true }],
];

describe("a GET that is answered", () => {
  it.each(getCases)("%i: %j", async (status, expected) => {
    const failure = await expectFailure("list", [status, html], expected);
    expect(failure.facts.status).toBe(status);
    const what =
      status === 401 ? "rejected the API key …last \\(401\\)" : `responded with ${status}`;
    expect(failure.message).toMatch(new RegExp(`^127\\.0\\.0\\.1:\\d+ ${what}`));
  });

  it.each(getCases.filter(([status]) => status >= 400))(
    "%i with an Error body",
    async (status, expected) => {
      const failure = await expectFailure("list", [status, said(status)], expected);
      expect(failure.code).toBe(`code_${status}`);
      expect(failure.message).toContain(`Said ${status}.`);
    },
  );
});

const postCases: [number, Expected][] = [
  [200, { kind: "outcome_unknown", code: "outcome_unknown" }],
  [201, { kind: "outcome_unknown", code: "outcome_unknown" }],
  [204, { kind: "outcome_unknown", code: "outcome_unknown" }],
  [301, { kind: "service" }],
  [303, { kind: "outcome_unknown", code: "outcome_unknown" }],
  [307, { kind: "service" }],
  [400, { kind: "usage" }],
  [401, { kind: "auth" }],
  [403, { kind: "auth" }],
  [404, { kind: "not_found" }],
  [405, { kind: "service" }],
  [408, { kind: "outcome_unknown", code: "outcome_unknown" }],
  [409, { kind: "usage" }],
  [410, { kind: "service" }],
  [413, { kind: "usage" }],
  [422, { kind: "usage" }],
  [429, { kind: "rate_limited", attempts: 3, retryable: true }],
  [500, { kind: "outcome_unknown", code: "outcome_unknown" }],
  [501, { kind: "service" }],
  [502, { kind: "outcome_unknown", code: "outcome_unknown" }],
  [503, { kind: "outcome_unknown", code: "outcome_unknown" }],
  [504, { kind: "outcome_unknown", code: "outcome_unknown" }],
  [505, { kind: "service" }],
  [511, { kind: "service" }],
  [599, { kind: "outcome_unknown", code: "outcome_unknown" }],
];

describe("a POST that is answered", () => {
  it.each(postCases)("%i: %j", async (status, expected) => {
    const failure = await expectFailure("add", [status, html], expected);
    expect(failure.facts.status).toBe(status);
    expect(failure.facts).not.toHaveProperty("hasErrorBody");
    expect(failure.message.endsWith("; the animal may or may not have been added")).toBe(
      expected.kind === "outcome_unknown",
    );
  });

  it.each(postCases.filter(([status]) => status >= 400))(
    "%i with an Error body",
    async (status, expected) => {
      const code = `code_${status}`;
      const failure = await expectFailure("add", [status, said(status)], { ...expected, code });
      expect(failure.facts.hasErrorBody).toBe(true);
      expect(failure.message).toContain(`Said ${status}.`);
    },
  );

  it.each([200, 201, 202])("succeeds with a Pet and %i", async (status) => {
    await using service = await serve([status, rex]);
    expect(await connect(service.baseUrl).api.add(newPet)).toEqual(rexPet);
  });

  it("is sent again unchanged after a 429", async () => {
    await using service = await serve([429], [429], [201, rex]);
    const { api, waits } = connect(service.baseUrl);
    expect(await api.add(newPet)).toEqual(rexPet);
    expect(new Set(service.requests.map(({ body }) => body)).size).toBe(1);
    expect(waits.map(({ reason, what }) => [reason, what])).toEqual([
      ["rate_limited", "the service responded with 429 Too Many Requests"],
      ["rate_limited", "the service responded with 429 Too Many Requests"],
    ]);
  });
});

describe("a 200 with a broken body", () => {
  it.each<[string, string | Uint8Array, string]>([
    ["an empty body", "", "the body is empty"],
    ["a page", html, "the body is not JSON"],
    ["half a list", "[", "the body is not JSON"],
    ["an object", "{}", "must be an array"],
    [
      "a place",
      '[{"id":1,"name":"a","categoryId":1.0}]',
      "[0].categoryId must be a 64-bit integer",
    ],
    ["no UTF-8", Buffer.from([0x5b, 0xff, 0x5d]), "cannot be decoded"],
    ["two byte-order marks", "\uFEFF\uFEFF[]", "not JSON"],
    ["UTF-16", Buffer.from("[]", "utf16le"), "not JSON"],
  ])("%s", async (_name, body, message) => {
    const expected = { kind: "service", code: "bad_response", retryable: true } as const;
    const failure = await expectFailure("list", [200, body], expected);
    expect(failure.message).toContain(message);
  });

  it("accepts a byte-order mark and unknown fields", async () => {
    await using service = await serve([200, `\uFEFF[${JSON.stringify({ ...rex, x: [1.5] })}]`]);
    expect(await connect(service.baseUrl).api.list({})).toEqual([rexPet]);
  });
});

describe("an Error body", () => {
  it.each<[string, unknown]>([
    ["without a status", { code: "c", message: "m" }],
    ["with a status in quotes", { code: "c", message: "m", status: "400" }],
    ["with a code that is not a string", { code: 4, message: "m", status: 400 }],
    ["in a list", [{ code: "c", message: "m", status: 400 }]],
  ])("%s does not count: the reply is reported by its status", async (_name, body) => {
    const failure = await expectFailure("add", [400, body], { kind: "usage", code: "usage" });
    expect(failure.message).toMatch(/responded with 400 Bad Request$/);
  });

  it("is quoted up to a maximum length", async () => {
    const body = { code: "c".repeat(1000), message: "m".repeat(100_000), status: 400 };
    const failure = await expectFailure("add", [400, body], { kind: "usage" });
    expect(failure.message.length).toBeLessThan(700);
    expect(failure.code.length).toBeLessThan(600);
  });
});

describe("a redirect", () => {
  it("is not followed, and reported without its password", async () => {
    await using other = await serve([200, []]);
    const location = other.baseUrl.href.replace("//", "//user:secret@");
    const failure = await expectFailure("list", [302, "", { location }], { kind: "service" });
    expect(failure.message).toContain(`a redirect to ${other.baseUrl.href}, which is not followed`);
    expect(other.requests).toHaveLength(0);
  });
});
