import { once } from "node:events";
import { Agent, request } from "node:http";
import { text } from "node:stream/consumers";
import * as fc from "fast-check";
import { expect, it, onTestFinished } from "vitest";
import { openApi } from "../../../src/server/openapi/document.ts";
import {
  differences,
  type OpenApiDocument,
  operationsOf,
} from "../../support/documents/openapi.ts";
import { fits } from "../../support/documents/schema.ts";
import type { RawReply } from "../../support/servers/raw.ts";
import { startTestStore, type TestStore } from "../../support/servers/store.ts";

const document: OpenApiDocument = JSON.parse(openApi("http://localhost/v1"));
const operations = operationsOf(document).map(({ path: at, method, operation }) => {
  const pattern = at.replace(/\{\w+\}/, "[^/]+");
  return { method, operation, matches: new RegExp(`^(?:/v1)?${pattern}$`) };
});

/** A request that somebody might send. */
interface OddRequest {
  readonly method: string;
  readonly target: string;
  readonly key: "valid" | "wrong" | "none";
  readonly body: string;
}

const int64s = fc.bigInt({ min: -(2n ** 65n), max: 2n ** 65n }).map(String);
const word = fc.oneof(
  int64s,
  fc.constantFrom("available", "sold", "limit", "status", "%00", "..", "%2F", "1e3", ""),
  fc
    .string({ unit: "grapheme", maxLength: 12 })
    .map((letters) => encodeURIComponent(letters.toWellFormed())),
);
const query = fc
  .array(fc.tuple(fc.oneof(fc.constantFrom("limit", "status"), word), word), { maxLength: 3 })
  .map((pairs) => pairs.map((pair) => pair.join("=")).join("&"));
const path = fc.oneof(
  { arbitrary: fc.constant("/v1/pets"), weight: 4 },
  { arbitrary: word.map((id) => `/v1/pets/${id}`), weight: 3 },
  fc.constantFrom("/v1", "/", "/_store/nothing"),
  fc.array(word, { maxLength: 4 }).map((words) => `/${words.join("/")}`),
);
const pet = fc.record(
  {
    name: fc.oneof(fc.string({ unit: "binary", maxLength: 20 }), fc.jsonValue()),
    categoryId: fc.oneof(fc.integer(), fc.double(), fc.jsonValue()),
    status: fc.oneof(fc.constantFrom("available", "pending", "sold"), fc.jsonValue()),
    id: fc.jsonValue(),
  },
  { requiredKeys: [] },
);
const body = fc.oneof(
  { arbitrary: fc.constant(""), weight: 2 },
  { arbitrary: pet.map((value) => JSON.stringify(value)), weight: 4 },
  int64s.map((id) => `{"name":"Rex","categoryId":${id}}`),
  fc.json(),
  fc.string({ unit: "binary" }),
  fc.integer({ min: 65_000, max: 66_000 }).map((length) => " ".repeat(length)),
);
const anyRequest: fc.Arbitrary<OddRequest> = fc.record({
  method: fc.constantFrom(
    ..."GET GET GET POST POST HEAD PUT PATCH DELETE OPTIONS TRACE".split(" "),
  ),
  target: fc.tuple(path, query).map(([at, asked]) => (asked === "" ? at : `${at}?${asked}`)),
  key: fc.constantFrom("valid", "valid", "valid", "wrong", "none"),
  body,
});

/** Sends a request over one of a few connections. */
async function send(store: TestStore, agent: Agent, odd: OddRequest): Promise<RawReply> {
  const { method, target, key, body: content } = odd;
  const headers = {
    ...(key !== "none" && { authorization: `Bearer ${key === "valid" ? store.apiKey : "no"}` }),
    ...(content !== "" && { "content-length": Buffer.byteLength(content) }),
  };
  const address = { host: "127.0.0.1", port: store.port, agent, method, path: target, headers };
  const [reply] = await once(request(address).end(content), "response");
  return { status: reply.statusCode, headers: reply.headers, body: await text(reply) };
}

/** Returns how a reply differs from what the document says of it, or of requests that it does not know. */
function wrongIn(reply: RawReply, { method, target }: OddRequest): readonly string[] {
  const { pathname } = new URL(`http://localhost${target}`);
  const operation = operations.find(
    (each) => each.method === method.toLowerCase() && each.matches.test(pathname),
  );
  if (operation !== undefined) return differences(reply, operation.operation, document);
  const isError = method === "HEAD" || isErrorBody(reply);
  const isExpected =
    method === "HEAD" ? reply.status < 500 : [400, 401, 403, 404, 405].includes(reply.status);
  return isError && isExpected ? [] : [`${reply.status} ${reply.body}`];
}

function isErrorBody({ status, body: json }: RawReply): boolean {
  const { Error: schema = {} } = document.components.schemas;
  const error = JSON.parse(json);
  return fits({ ...error, code: "gone" }, schema, document) && error.status === status;
}

it("answers whatever is sent as its document says, and never fails", async () => {
  const store = await startTestStore({ seed: 5 });
  const agent = new Agent({ keepAlive: true, maxSockets: 4 });
  onTestFinished(() => agent.destroy());
  const batches = fc.array(anyRequest, { minLength: 20, maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(batches, async (requests) => {
      const replies = await Promise.all(requests.map((odd) => send(store, agent, odd)));
      const wrong = replies.flatMap((reply, at) => {
        const odd = requests[at];
        const found = odd === undefined ? [] : wrongIn(reply, odd);
        return found.length === 0 ? [] : [{ odd, found }];
      });
      expect(wrong).toEqual([]);
    }),
    // Three thousand requests.
    { numRuns: 150 },
  );
  expect(store.faults).toEqual([]);
});
