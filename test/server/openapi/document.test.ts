import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseExact } from "../../../src/core/json/parse.ts";
import { stringifyExact } from "../../../src/core/json/stringify.ts";
import { ApiError } from "../../../src/server/api/errors.ts";
import { parseNewPet } from "../../../src/server/api/pet-json.ts";
import { serverTimes } from "../../../src/server/http/server.ts";
import { openApi } from "../../../src/server/openapi/document.ts";
import { memoryStorage } from "../../../src/server/storage/sqlite/index.ts";
import { StorageError, type StorageProblem } from "../../../src/server/storage/storage.ts";
import {
  differences,
  type OpenApiDocument,
  operationsOf,
} from "../../support/documents/openapi.ts";
import { fits } from "../../support/documents/schema.ts";
import { type RawReply, sendRaw } from "../../support/servers/raw.ts";
import {
  startTestStore,
  type TestStore,
  type TestStoreOptions,
} from "../../support/servers/store.ts";

const document: OpenApiDocument = JSON.parse(openApi("http://127.0.0.1:4010/v1"));
const { schemas } = document.components;

const methods = ["get", "post", "put", "patch", "delete", "options", "trace", "purge"];
const json = "application/json; charset=utf-8";
const rex = '{"name":"Rex","categoryId":1}';
const removed = Date.UTC(2030, 11, 5);

const codes = Object(schemas.Error?.properties).code.enum;

/** The paths of the document as they are requested. */
const targets: Readonly<Record<string, string>> = {
  "/pets": "/v1/pets",
  "/pets/{petId}": "/v1/pets/1",
};

/** A request of an operation, with its special properties, to a store with `options`. */
interface Oddity {
  readonly target?: string;
  readonly body?: string;
  readonly key?: string;
  readonly type?: string;
  /** Headers instead of `Host`. */
  readonly headers?: readonly string[];
  /** Leaves the request incomplete. */
  readonly isHalf?: boolean;
  readonly options?: () => TestStoreOptions;
  /** How often it is sent again; only these replies count. */
  readonly again?: number;
}

async function ask(
  { port, apiKey }: TestStore,
  method: string,
  path: string,
  { target = targets[path], body, key = apiKey, headers, isHalf = false, type = json }: Oddity = {},
): Promise<RawReply> {
  const content = body ?? (method === "post" ? rex : "");
  const lines = [
    `${method.toUpperCase()} ${target} HTTP/1.1`,
    ...(headers ?? ["Host: localhost"]),
    `Authorization: Bearer ${key}`,
    ...(content === ""
      ? []
      : [`Content-Type: ${type}`, `Content-Length: ${Buffer.byteLength(content)}`]),
  ];
  const request = isHalf ? lines.join("\r\n") : `${lines.join("\r\n")}\r\n\r\n${content}`;
  const [reply] = await sendRaw(port, [request]);
  if (reply === undefined) throw new Error("no reply");
  return reply;
}

/** Returns the options of a store whose data fails in this way. */
function failing(problem: StorageProblem): TestStoreOptions {
  const fail = () => Promise.reject(new StorageError("failed", problem, undefined));
  return { storage: { ...memoryStorage(), list: fail, add: fail, get: fail, isEmpty: fail } };
}

/** Returns a clock that goes on whenever it is read. */
function ticking(): () => number {
  let now = 1e12;
  return () => (now += 100);
}

const impatient = { ...serverTimes, headersTimeout: 50, connectionsCheckingInterval: 10 };
const oddPet = '{"name":"\\u0007 ☃","categoryId":-9223372036854775808,"status":"sold","x":1}';

/** How each status is caused, in all the ways in which the replies differ; those with a `for` are for one operation. */
const causes: Readonly<Record<string, readonly (Oddity & { readonly for?: string })[]>> = {
  200: [
    {},
    { for: "get /pets", target: "/v1/pets?limit=100", options: () => ({ seed: 120 }) },
    { for: "get /pets", target: "/v1/pets?status=sold", options: () => ({ seed: 120 }) },
  ],
  201: [{}, { body: oddPet }],
  400: [
    { headers: [] },
    { headers: ["Host: a", "no colon"] },
    { for: "post /pets", body: '{"name":""}' },
    { for: "get /pets", target: "/v1/pets?limit=0" },
  ],
  401: [{ key: "nobody" }],
  404: [{ target: "/v1/pets/9" }, { target: "/v1/pets/x" }],
  408: [{ isHalf: true, options: () => ({ options: { times: impatient } }) }],
  410: [{ options: () => ({ clock: () => removed }) }],
  413: [{ body: "x".repeat(70_000) }],
  415: [{ type: "text/plain" }, { type: "application/json\r\nContent-Encoding: gzip" }],
  429: [{ again: 5, options: () => ({ plan: "1/min,9/day", clock: ticking() }) }],
  431: [{ headers: [`X: ${"x".repeat(80_000)}`] }],
  500: [{ options: () => failing("refused") }],
  503: [{ options: () => failing("unavailable") }],
};

const operations = operationsOf(document);
const statuses = operations.flatMap(({ path, method, operation }) =>
  Object.keys(operation.responses).map((status) => ({ path, method, status, operation })),
);

async function provoked({ path, method, status }: (typeof statuses)[number]) {
  const own = causes[status]?.filter(
    (odd) => (odd.for ?? `${method} ${path}`) === `${method} ${path}`,
  );
  const replies = (own ?? []).map(async ({ options, again = 0, ...odd }) => {
    const store = await startTestStore({ seed: 3, ...options?.() });
    const all = [await ask(store, method, path, odd)];
    for (let count = 0; count < again; count++) all.push(await ask(store, method, path, odd));
    return all.slice(Math.min(again, 1));
  });
  return (await Promise.all(replies)).flat();
}

describe("the OpenAPI document", () => {
  // Licence and contact, descriptions and tags: what the recommended rules of Redocly and Spectral require as well.
  it("is 3.1, version 1.0.0, with licence and contact", () => {
    const info = { version: "1.0.0", license: { name: "MIT" }, contact: { name: "pets" } };
    expect(document).toMatchObject({
      openapi: "3.1.0",
      info,
      servers: [{ url: "http://127.0.0.1:4010/v1" }],
    });
  });

  it("names, describes and tags all operations", () => {
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(ids).toEqual(["listPets", "createPet", "getPet"]);
    const names = Object(document).tags.map(({ name }: { readonly name: string }) => name);
    for (const { operation } of operations)
      expect(operation).toMatchObject({
        description: expect.stringMatching(/\.$/),
        tags: [expect.toBeOneOf(names)],
      });
    expect(document.paths["/pets/{petId}"]?.get).toMatchObject({ deprecated: true });
  });

  it("is what the store serves", async () => {
    const { port } = await startTestStore();
    const reply = await fetch(`http://127.0.0.1:${port}/openapi.json`);
    const servers = [{ url: `http://127.0.0.1:${port}/v1` }];
    expect(await reply.json()).toEqual({ ...document, servers });
  });

  it("names the host that was asked for where the store listens on all", async () => {
    const { port } = await startTestStore({ options: { host: "0.0.0.0" } });
    const request = `GET /openapi.json HTTP/1.1\r\nHost: pets.test:${port}\r\n\r\n`;
    const [reply] = await sendRaw(port, [request]);
    expect(JSON.parse(reply?.body ?? "").servers).toEqual([{ url: `http://pets.test:${port}/v1` }]);
  });

  it("has examples that the store accepts", () => {
    const { example } = Object(document.paths["/pets"]?.post).requestBody.content[
      "application/json"
    ];
    expect(isTaken(JSON.stringify(example))).toBe(true);
  });
});

describe("a reply, compared with the document", () => {
  it.each(statuses)("is as described for $method $path $status", async (told) => {
    const { status, operation } = told;
    const replies = await provoked(told);
    for (const reply of replies) {
      expect(reply.status).toBe(Number(status));
      expect(differences(reply, operation, document)).toEqual([]);
    }
    expect(replies.length).toBeGreaterThan(0);
  });

  it.each(Object.keys(document.paths))("is a 405 for other methods of %s", async (path) => {
    const store = await startTestStore();
    const known = ["head", ...Object.keys(document.paths[path] ?? {})];
    for (const method of methods.filter((one) => !known.includes(one))) {
      const reply = await ask(store, method, path);
      const allow = reply.headers.allow?.toLowerCase().split(", ").toSorted();
      expect([method, reply.status, allow]).toEqual([method, 405, known.toSorted()]);
      expect(fits(parseExact(reply.body), schemas.Error ?? {}, document)).toBe(true);
    }
  });

  it("has each code of the document, and no other", async () => {
    const replies = await Promise.all(
      statuses.filter(({ status }) => Number(status) >= 400).map(provoked),
    );
    const given = replies.flat().map(({ body }) => JSON.parse(body).code);
    expect(new Set([...given, "method_not_allowed"])).toEqual(new Set(codes));
  });
});

describe("NewPet", () => {
  const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
  const odd = fc.oneof(
    fc.constant(null),
    fc.boolean(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.bigInt(),
    fc.string(),
    fc.constant([]),
    fc.constant({}),
  );
  const body = fc.record(
    {
      name: fc.oneof(
        fc.string({ unit: "grapheme" }),
        fc.constantFrom("", " ", "\t\n\u00a0\ufeff"),
        odd,
      ),
      categoryId: fc.oneof(int64, odd),
      status: fc.oneof(fc.constantFrom("available", "pending", "sold", "lost"), odd),
      other: odd,
    },
    { requiredKeys: [] },
  );

  it("describes what the store accepts", () => {
    fc.assert(
      fc.property(fc.oneof(body, odd), (value) => {
        const text = stringifyExact(value);
        if (text.includes(String.raw`\u0000`)) return;
        const told = fits(parseExact(text), schemas.NewPet ?? {}, document);
        expect([text, isTaken(text)]).toEqual([text, told]);
      }),
      { numRuns: 2_000 },
    );
  });
});

function isTaken(text: string): boolean {
  try {
    parseNewPet(Buffer.from(text));
    return true;
  } catch (error) {
    if (error instanceof ApiError) return false;
    throw error;
  }
}
