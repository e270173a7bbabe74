import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseExact } from "../../../src/core/json/parse.ts";
import { stringifyExact } from "../../../src/core/json/stringify.ts";
import { ApiError } from "../../../src/server/api/errors.ts";
import { parseNewPet } from "../../../src/server/api/pet-json.ts";
import { serverTimes } from "../../../src/server/http/server.ts";
import { openApi } from "../../../src/server/openapi/document.ts";
import { memoryStorage } from "../../../src/server/storage/sqlite/index.ts";
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

const document: OpenApiDocument = JSON.parse(openApi);
const { schemas } = document.components;

const methods = ["get", "post", "put", "patch", "delete", "options", "trace", "purge"];
const rex = '{"name":"Rex","categoryId":1}';
const removed = Date.UTC(2030, 11, 5);

const codes = Object(schemas.Error?.properties).code.enum;

/** The paths of the document as they are requested. */
const targets: Readonly<Record<string, string>> = {
  "/pets": "/v1/pets",
  "/pets/{petId}": "/v1/pets/1",
  "/healthz": "/healthz",
  "/openapi.json": "/openapi.json",
};

/** A request of an operation, with its special properties. */
interface Oddity {
  readonly target?: string;
  readonly body?: string;
  readonly key?: string;
  /** Headers instead of `Host`. */
  readonly headers?: readonly string[];
  /** Leaves the request incomplete. */
  readonly isHalf?: boolean;
}

async function ask(
  store: TestStore,
  method: string,
  path: string,
  { target = targets[path], body, key = store.apiKey, headers, isHalf = false }: Oddity = {},
): Promise<RawReply> {
  const content = body ?? (method === "post" ? rex : "");
  const lines = [
    `${method.toUpperCase()} ${target} HTTP/1.1`,
    ...(headers ?? ["Host: localhost"]),
    `Authorization: Bearer ${key}`,
    ...(content === "" ? [] : [`Content-Length: ${Buffer.byteLength(content)}`]),
  ];
  const request = isHalf ? lines.join("\r\n") : `${lines.join("\r\n")}\r\n\r\n${content}`;
  const [reply] = await sendRaw(store.port, [request]);
  if (reply === undefined) throw new Error("no reply");
  return reply;
}

type Provoke = (method: string, path: string) => Promise<readonly RawReply[]>;

const once =
  (odd: Oddity = {}, options: TestStoreOptions = {}): Provoke =>
  async (method, path) => [
    await ask(await startTestStore({ seed: 3, ...options }), method, path, odd),
  ];

/** Starts a store whose data fails with this SQLite code. */
const failing =
  (errcode: number): Provoke =>
  (method, path) => {
    const error = Object.assign(new Error("failed"), { errcode });
    const fail = () => Promise.reject(error);
    const data = { list: fail, add: fail, get: fail, isEmpty: fail };
    return once({}, { storage: { ...memoryStorage(), ...data } })(method, path);
  };

/** How each status is caused, in all the ways in which the replies differ. */
const provoke: Readonly<Record<string, Provoke>> = {
  200: async (method, path) => {
    const store = await startTestStore({ seed: 120 });
    const odd =
      path === "/pets"
        ? [{ target: "/v1/pets?limit=100" }, { target: "/v1/pets?status=sold" }]
        : [];
    return Promise.all([{}, ...odd].map((one) => ask(store, method, path, one)));
  },
  201: async (method, path) => {
    const store = await startTestStore();
    const bodies = [
      rex,
      '{"name":"\\u0007 ☃","categoryId":-9223372036854775808,"status":"sold","x":1}',
    ];
    return Promise.all(bodies.map((body) => ask(store, method, path, { body })));
  },
  400: async (method, path) => {
    const malformed = [
      ...(await once({ headers: [] })(method, path)),
      ...(await once({ headers: ["Host: a", "no colon"] })(method, path)),
    ];
    if (method === "post")
      return [...malformed, ...(await once({ body: '{"name":""}' })(method, path))];
    if (path !== "/pets") return malformed;
    return [...malformed, ...(await once({ target: "/v1/pets?limit=0" })(method, path))];
  },
  401: once({ key: "nobody" }),
  404: async (method, path) => [
    ...(await once({ target: "/v1/pets/9" })(method, path)),
    ...(await once({ target: "/v1/pets/x" })(method, path)),
  ],
  408: once(
    { isHalf: true },
    {
      options: { times: { ...serverTimes, headersTimeout: 50, connectionsCheckingInterval: 10 } },
    },
  ),
  410: once({}, { clock: () => removed }),
  413: once({ body: "x".repeat(70_000) }),
  429: async (method, path) => {
    let now = 1e12;
    const store = await startTestStore({
      seed: 1,
      plan: "1/min,9/day",
      clock: () => now,
    });
    const replies = [];
    for (let count = 0; count < 6; count++) {
      now += 1_000;
      replies.push(await ask(store, method, path));
    }
    return replies.slice(1);
  },
  431: once({ headers: [`X: ${"x".repeat(20_000)}`] }),
  500: failing(10),
  503: failing(5),
};

const operations = operationsOf(document);
const statuses = operations.flatMap(({ path, method, operation }) =>
  Object.keys(operation.responses).map((status) => ({ path, method, status, operation })),
);

const provoked = async ({ path, method, status }: (typeof statuses)[number]) =>
  (await provoke[status]?.(method, path)) ?? [];

describe("the OpenAPI document", () => {
  it("is 3.1, version 1.0.0, with all operations", () => {
    expect(document).toMatchObject({
      openapi: "3.1.0",
      info: { version: "1.0.0" },
      servers: [{ url: "/v1" }],
    });
    expect(document.paths["/pets"]?.get?.operationId).toBe("listPets");
    expect(document.paths["/pets"]?.post?.operationId).toBe("createPet");
    expect(document.paths["/pets/{petId}"]?.get).toMatchObject({
      operationId: "getPet",
      deprecated: true,
    });
  });

  it("has a unique id for each operation", () => {
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
  });

  // What the recommended rules of Redocly and Spectral require beyond the specification.
  it("names licence and contact, and describes and tags each operation", () => {
    const { info, tags, paths } = JSON.parse(openApi);
    expect(info).toMatchObject({
      license: { name: "MIT" },
      contact: { name: "pets" },
    });
    const names = tags.map(({ name }: { readonly name: string }) => name);
    const described = Object.values<object>(paths).flatMap((item) =>
      Object.entries(item).filter(([method]) => method !== "servers"),
    );
    for (const [, operation] of described)
      expect(operation).toMatchObject({
        description: expect.stringMatching(/\.$/),
        tags: [expect.toBeOneOf(names)],
      });
  });

  it("is what the store serves", async () => {
    const { port } = await startTestStore();
    const reply = await fetch(`http://127.0.0.1:${port}/openapi.json`);
    expect(await reply.json()).toEqual(document);
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
