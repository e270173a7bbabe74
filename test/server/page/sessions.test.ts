import { describe, expect, it } from "vitest";
import { makeSessions } from "../../../src/server/page/sessions.ts";
import { sendRaw } from "../../support/servers/raw.ts";
import { startTestStore, type TestStoreOptions } from "../../support/servers/store.ts";

it("remembers the last 100 links", () => {
  const sessions = makeSessions(() => "secret");
  const tokens = Array.from({ length: 101 }, () => sessions.issueToken());
  expect(tokens.slice(0, 2).map(sessions.redeem)).toEqual([undefined, "secret"]);
});

/** A store with a page, and a function that sends requests to it like a browser. */
async function startPage(options: TestStoreOptions = {}) {
  const store = await startTestStore({ hasPage: true, ...options });
  const { port, sessions } = store;
  const host = `127.0.0.1:${port}`;
  const send = async (line: string, headers: Readonly<Record<string, string>> = {}, body = "") => {
    const length = {
      "Content-Type": "application/json",
      "Content-Length": String(Buffer.byteLength(body)),
    };
    const all = Object.entries({ Host: host, Connection: "close", ...length, ...headers });
    const head = [`${line} HTTP/1.1`, ...all.map((field) => field.join(": "))].join("\r\n");
    const [reply] = await sendRaw(port, [`${head}\r\n\r\n${body}`]);
    if (reply === undefined) throw new Error("no reply");
    return reply;
  };
  const exchange = (token = sessions?.issueToken()) =>
    send("POST /", { Origin: `http://${host}` }, JSON.stringify({ token }));
  /** Returns the headers of the page's own requests. */
  const own = async () => ({ "X-Pets-Page": String(JSON.parse((await exchange()).body).secret) });
  return { ...store, host, send, exchange, own };
}

describe("the page", () => {
  it("reads without a key once its link is exchanged, and sets no cookie", async () => {
    const { exchange, own, send } = await startPage();
    const reply = await exchange();
    expect(reply.status).toBe(200);
    expect(reply.headers).not.toHaveProperty("set-cookie");
    const headers = await own();
    for (const path of ["session", "state", "requests", "pets", "limits", "faults"])
      expect((await send(`GET /_store/${path}`, headers)).status).toBe(200);
  });

  it("rejects a link that was used, and says how to get another", async () => {
    const { exchange, send, sessions } = await startPage();
    const token = sessions?.issueToken();
    await exchange(token);
    for (const sent of [{ token }, {}, { token: 7 }, { token: ["x"] }]) {
      const { status, body } = await send("POST /", {}, JSON.stringify(sent));
      expect(status).toBe(401);
      expect(body).toContain("`pets store page` prints another");
    }
  });

  it("is known by its whole secret, which is in no header of an entry", async () => {
    const { own, send } = await startPage();
    const { "X-Pets-Page": secret } = await own();
    for (const guess of ["", "1", secret.slice(1), `${secret}x`, secret.replace(/.$/, "z")])
      for (const line of ["GET /_store/state", "GET /_store/session", "POST /v1/pets"])
        expect((await send(line, { "X-Pets-Page": guess })).status).toBe(401);
    expect((await send("GET /_store/state", { Cookie: `pets-page=${secret}` })).status).toBe(401);
    await send("GET /v1/pets", { "X-Pets-Page": secret });
    const { body } = await send("GET /_store/requests", { "X-Pets-Page": secret });
    expect(JSON.parse(body).at(-1)).toMatchObject({ keyId: "page", status: 200 });
    expect(body).not.toContain(secret);
  });

  it("counts towards no limit below /v1", async () => {
    const { own, send } = await startPage({ plan: "1/min,1/day" });
    const headers = await own();
    for (let count = 0; count < 3; count += 1) {
      const reply = await send("POST /v1/pets", headers, '{"name":"Rex","categoryId":1}');
      expect(reply.status).toBe(201);
      expect(reply.headers["x-ratelimit-remaining"]).toBe("2147483647");
    }
  });

  it("is not there with --no-page", async () => {
    const { exchange, send } = await startPage({ hasPage: false });
    expect((await send("GET /")).status).toBe(404);
    expect((await exchange("x")).status).toBe(404);
  });
});

describe("other pages, other servers and other names", () => {
  it.each<[string, Readonly<Record<string, string>>, number]>([
    ["another name that leads here", { Host: "evil.example" }, 404],
    ["another origin", { Origin: "http://evil.example" }, 403],
    ["another server of this machine", { Origin: "http://127.0.0.1:1" }, 403],
    ["the same name over TLS", { Origin: "https://HOST" }, 403],
    ["a sandboxed page", { Origin: "null" }, 403],
    ["another site without an Origin", { "Sec-Fetch-Site": "cross-site" }, 403],
    ["another port without an Origin", { "Sec-Fetch-Site": "same-site" }, 403],
    ["the page", { Origin: "http://HOST", "Sec-Fetch-Site": "same-origin" }, 200],
    ["a typed address", { "Sec-Fetch-Site": "none" }, 200],
    ["something other than a browser", {}, 200],
  ])("for %s", async (_who, odd, status) => {
    const { own, send, host, apiKey } = await startPage();
    const headers = Object.fromEntries(
      Object.entries(odd).map(([name, value]) => [name, value.replace("HOST", host)]),
    );
    const page = { ...(await own()), ...headers };
    const key = { Authorization: `Bearer ${apiKey}`, ...headers };
    for (const each of [page, key]) {
      const reply = await send("GET /_store/requests", each);
      expect(reply.status).toBe(status);
      expect(reply.headers).not.toHaveProperty("access-control-allow-origin");
    }
    // Below /v1 a key works as always, and the secret does not.
    expect((await send("GET /v1/pets", page)).status).toBe(status === 200 ? 200 : 401);
  });

  it("may link to the page, but not put it into a frame, nor ask beforehand", async () => {
    const { send } = await startPage();
    const link = { "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate" };
    expect((await send("POST /", { ...link, "Sec-Fetch-Dest": "document" })).status).toBe(403);
    expect((await send("GET /", { ...link, "Sec-Fetch-Dest": "iframe" })).status).toBe(403);
    const headers = { Origin: "http://evil.example", "Access-Control-Request-Method": "GET" };
    const preflight = await send("OPTIONS /_store/requests", headers);
    expect(preflight.status).toBe(403);
    expect(preflight.headers).not.toHaveProperty("access-control-allow-origin");
  });
});

it("names the store in each response, even to malformed requests", async () => {
  const { send, port, storage, apiKey } = await startPage();
  const id = storage.storeId();
  expect(id).toMatch(/^[0-9a-f]{16}$/);
  const authorized = { Authorization: `Bearer ${apiKey}` };
  for (const line of ["GET /v1/pets", "GET /v1/x", "GET /healthz", "GET /x", "GET /_store/state"])
    expect((await send(line, authorized)).headers["x-pets-store"]).toBe(id);
  const [malformed] = await sendRaw(port, ["NO SUCH THING\r\n\r\n"]);
  expect(malformed?.headers["x-pets-store"]).toBe(id);
});
