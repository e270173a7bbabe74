import { describe, expect, it } from "vitest";
import type { FinalOutcome } from "../../src/client/failures.ts";
import { parseReplyHead } from "../../src/client/http/reply-head.ts";
import { errorDetails, readBody } from "../../src/client/read-response.ts";
import { decode, decodePets, petSchema } from "../../src/core/pet.ts";
import { secretsOf } from "../support/command/secrets.ts";

const key = "secret-key-1234";
const secrets = secretsOf(key);
const petReader = (value: unknown) => decode(petSchema, value);
const petsReader = (max: number) => (value: unknown) => decodePets(value, max);
const rex = { id: 7n, name: "Rex", categoryId: 3n };
const rexJson = '{"id":7,"name":"Rex","categoryId":3}';

function replied(status: number, body: string | undefined, headers = {}): FinalOutcome {
  const outcome = {
    kind: "reply",
    reply: { ...parseReplyHead(status, headers, 0), body },
  } as const;
  return { outcome, decision: { retry: false, limited: false }, attempts: 1 };
}

const unanswered: FinalOutcome = { ...replied(200, ""), outcome: { kind: "timeout" } };

describe("readBody", () => {
  it.each<["GET" | "POST", number, object | undefined]>([
    ["GET", 200, { value: rex }],
    ["GET", 201, { violation: "only 200 is expected here" }],
    ["GET", 299, { violation: "only 200 is expected here" }],
    ["POST", 200, { value: rex }],
    ["POST", 201, { value: rex }],
    ["POST", 299, { value: rex }],
    ["POST", 199, undefined],
    ["POST", 300, undefined],
    ["GET", 404, undefined],
  ])("of a %s that is answered %i", (method, status, expected) => {
    expect(readBody(replied(status, rexJson), method, petReader)).toEqual(expected);
  });

  it("is undefined without a reply, and if its body could not be read", () => {
    expect(readBody(unanswered, "GET", petReader)).toBeUndefined();
    expect(readBody(replied(200, undefined), "GET", petReader)).toBeUndefined();
  });

  const int64 = "must be a 64-bit integer";
  it.each<[string, string, inRecord?: boolean]>([
    ["", "is empty"],
    [" \r\n", "is empty"],
    ["<html>", "is not JSON"],
    ["[".repeat(501), "is nested more than 500 levels deep"],
    [`${rexJson} ${rexJson}`, "is not JSON"],
    ["[]", "does not match the API: it must be an object"],
    ['{"id":7.5,"name":"Rex","categoryId":3}', `does not match the API: id ${int64}`],
    ['{"id":7,"name":"Rex"}', `does not match the API: categoryId ${int64}`, true],
  ])("of the body %j says %s", (body, problem, inRecord) => {
    expect(readBody(replied(200, body), "GET", petReader)).toEqual({
      violation: `the body ${problem}`,
      ...(inRecord && { inRecord }),
    });
  });

  it.each<[number, object]>([
    [2, { value: [rex, rex] }],
    [100, { value: [rex, rex] }],
    [101, { violation: expect.stringContaining("[100] exceeds the maximum"), inRecord: true }],
  ])("of %i animals where 2 were asked for", (count, expected) => {
    const body = `[${Array.from({ length: count }, () => rexJson).join(",")}]`;
    expect(readBody(replied(200, body), "GET", petsReader(2))).toEqual(expected);
  });

  it("names the invalid animal of a list, by its position and field", () => {
    const body = `[${rexJson},{"id":8,"name":1,"categoryId":3}]`;
    expect(readBody(replied(200, body), "GET", petsReader(2))).toEqual({
      violation: "the body does not match the API: [1].name must be a string",
      inRecord: true,
    });
  });
});

describe("errorDetails", () => {
  const error = { code: "no_key", message: "No such key.", status: 401 };

  it.each<[string, FinalOutcome, object]>([
    ["an Error body", replied(401, JSON.stringify(error)), { error }],
    ["an Error body of a success", replied(200, JSON.stringify(error)), {}],
    ["a body that is not JSON", replied(500, "<html>"), {}],
    ["JSON that is not an Error", replied(500, '{"code":1}'), {}],
    ["an Error without a status", replied(400, '{"code":"c","message":"m"}'), { said: "m" }],
    ["problem details", replied(403, '{"title":"No","detail":"Not today"}'), { said: "Not today" }],
    ["a problem without words", replied(403, '{"title":" ","detail":3}'), {}],
    ["an Error in a list", replied(400, JSON.stringify([error])), {}],
    ["no body", replied(500, undefined), {}],
    ["no reply", unanswered, {}],
    ["a redirect without a place", replied(302, ""), {}],
    ["a success with a place", replied(201, "", { location: "/pets/1" }), {}],
  ])("of %s", (_what, outcome, expected) => {
    expect(errorDetails(outcome, secrets)).toEqual(expected);
  });

  it.each([
    ["/v2/pets", "/v2/pets"],
    ["https://user:word@host/p@th", "https://host/p@th"],
    ["//user@host/", "//host/"],
    ["https://host/a?mail=me@there", "https://host/a?mail=me@there"],
    [`https://host/?k=${key}`, "https://host/?k=…1234"],
  ])("of a redirect to %s: %s, without user and key", (location, shown) => {
    expect(errorDetails(replied(307, "", { location }), secrets)).toEqual({ location: shown });
  });

  it("masks the key, and cuts a text after 500 characters", () => {
    const message = `${"m".repeat(495)} ${key} and more`;
    const body = { code: `code ${key}`, message, status: 400 };
    expect(errorDetails(replied(400, JSON.stringify(body)), secrets)).toEqual({
      error: { code: "code …1234", message: `${"m".repeat(495)} …12…`, status: 400 },
    });
    const fits = { code: "c", message: "m".repeat(500), status: 400 };
    expect(errorDetails(replied(400, JSON.stringify(fits)), secrets).error?.message).toBe(
      fits.message,
    );
  });
});
