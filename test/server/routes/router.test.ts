import { describe, expect, it } from "vitest";
import { type RawReply, sendRaw } from "../../support/raw.ts";
import { startTestStore, type TestStore } from "../../support/store.ts";

const noon = Date.UTC(2030, 0, 1, 12);
const rex = '{"name":"Rex","categoryId":1}';

/** Starts a store of its own for each case, so that ids, counts and limits are alike. */
const start = (): Promise<TestStore> =>
  startTestStore({ plan: "3/min,1000/day", seed: 5, clock: () => noon });

/** Returns the replies to the same request, sent again and again. */
async function replies(
  store: TestStore,
  host: string,
  line: string,
  { body = "", headers = [] }: { body?: string; headers?: readonly string[] },
): Promise<readonly RawReply[]> {
  const all: RawReply[] = [];
  for (let time = 0; time < 5; time += 1) {
    const lines = [
      `${line} HTTP/1.1`,
      `Host: ${host}`,
      ...headers.map((header) => header.replace("KEY", store.apiKey)),
      ...(body === "" ? [] : [`Content-Length: ${Buffer.byteLength(body)}`]),
      "Connection: close",
    ];
    all.push(...(await sendRaw(store.port, [`${lines.join("\r\n")}\r\n\r\n${body}`])));
  }
  return all;
}

const key = { headers: ["Authorization: Bearer KEY"] };

describe("the reply does not depend on how the Host is spelled", () => {
  it.each<readonly [string, { body?: string; headers?: readonly string[] }, number]>([
    ["GET /v1/pets", key, 200],
    ["GET /v1/pets?", key, 200],
    ["GET /v1/pets?limit=2&status=sold", key, 200],
    ["GET /v1/pets?limit=%32&x=%22\u007e", key, 200],
    ["GET /v1/pets?limit=0", key, 400],
    ["GET /v1/pets?limit=1&limit=1", key, 400],
    ["GET /v1/pets?status=gone", key, 400],
    ["GET /v1/pets/", key, 404],
    ["GET /v1/petsx", key, 404],
    ["GET /v1/pets", {}, 401],
    ["GET /v1/pets", { headers: ["Authorization: Bearer no"] }, 401],
    ["GET /v1/pets", { headers: [...key.headers, ...key.headers] }, 401],
    ["GET /v1/pets", { headers: ["authorization: bearer KEY"] }, 200],
    ["GET /v1/pets", { ...key, body: "body" }, 200],
    ["POST /v1/pets", { ...key, body: rex }, 201],
    ["POST /v1/pets?x=1", { ...key, body: rex }, 201],
    ["POST /v1/pets", { body: rex }, 401],
    ["POST /v1/pets", key, 400],
    ["POST /v1/pets", { ...key, body: '{"name":""}' }, 400],
    ["POST /v1/pets", { ...key, body: "x".repeat(65_536) }, 400],
    ["POST /v1/pets", { ...key, body: "x".repeat(65_537) }, 413],
    ["PUT /v1/pets", { ...key, body: rex }, 405],
  ])("%s %o: %i", async (line, options, status) => {
    const [one, other] = await Promise.all([start(), start()]);
    const plain = await replies(one, "localhost", line, options);
    expect(plain[0]?.status).toBe(status);
    expect(plain).toEqual(await replies(other, "LOCALHOST", line, options));
    expect(one.faults).toEqual([]);
  });
});
