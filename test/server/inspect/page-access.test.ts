import { describe, expect, it } from "vitest";
import { sendRaw } from "../../support/servers/raw.ts";
import { startTestStore, type TestStoreOptions } from "../../support/servers/store.ts";

/** A store with a page, and a function that sends requests to it like a browser. */
async function startPage(options: TestStoreOptions = {}) {
  const store = await startTestStore({ hasPage: true, ...options });
  const { port, inspector } = store;
  const host = `127.0.0.1:${port}`;
  const send = async (line: string, headers: Readonly<Record<string, string>> = {}, body = "") => {
    const all: Record<string, string> = { Host: host, Connection: "close", ...headers };
    if (body !== "") all["Content-Length"] = String(Buffer.byteLength(body));
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
    const [reply] = await sendRaw(port, [
      `${line} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n${body}`,
    ]);
    if (reply === undefined) throw new Error("no reply");
    return reply;
  };
  const token = (): string => inspector.sessions?.issueToken() ?? "";
  const exchange = (headers: Readonly<Record<string, string>> = {}, its = token()) =>
    send("POST /", { Origin: `http://${host}`, ...headers }, JSON.stringify({ token: its }));
  const cookie = async (): Promise<string> =>
    (await exchange()).headers["set-cookie"]?.split(";")[0] ?? "";
  return { ...store, host, send, token, exchange, cookie };
}

const own = { "X-Pets-Page": "1" };

describe("the page's cookie", () => {
  it("is issued once for a token, and lets the page read without a key", async () => {
    const { port, exchange, send, token } = await startPage();
    const first = token();
    const reply = await exchange({}, first);
    expect(reply.status).toBe(200);
    const given = reply.headers["set-cookie"] ?? "";
    expect(given).toMatch(
      new RegExp(`^pets_page_${port}=[\\w.-]+; Path=/; Max-Age=\\d+; HttpOnly; SameSite=Strict$`),
    );
    expect((await exchange({}, first)).status).toBe(401);
    const [cookie = ""] = given.split(";");
    const paths = ["session", "state", "requests", "pets", "limits", "faults"];
    for (const path of paths)
      expect((await send(`GET /_store/${path}`, { ...own, Cookie: cookie })).status).toBe(200);
  });

  it("is not a key: without the page's header, or on another port, it has no effect", async () => {
    const { cookie, send } = await startPage();
    const value = await cookie();
    expect((await send("GET /_store/state", { Cookie: value })).status).toBe(401);
    expect((await send("GET /_store/state", own)).status).toBe(401);
    const other = value.replace(/\d+=/, "1=");
    expect((await send("GET /_store/state", { ...own, Cookie: other })).status).toBe(401);
    expect((await send("GET /v1/pets", { Cookie: value })).status).toBe(401);
  });

  it("counts towards no limit below /v1", async () => {
    const { cookie, send, storage } = await startPage({ plan: "1/min,1/day" });
    const headers = { ...own, Cookie: await cookie() };
    const body = '{"name":"Rex","categoryId":1}';
    for (let count = 0; count < 3; count += 1) {
      const reply = await send("POST /v1/pets", headers, body);
      expect(reply).toMatchObject({ status: 201 });
      expect(reply.headers["x-ratelimit-remaining"]).toBe("2147483647");
    }
    expect((await storage.list({ limit: 100, status: undefined })).toString()).toBeDefined();
  });

  it("is not issued if there is no page", async () => {
    const { exchange, send } = await startPage({ hasPage: false });
    expect((await send("GET /")).status).toBe(404);
    expect((await exchange()).status).toBe(404);
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
    const { cookie, send, host, apiKey } = await startPage();
    const headers = Object.fromEntries(
      Object.entries(odd).map(([name, value]) => [name, value.replace("HOST", host)]),
    );
    const page = { ...own, Cookie: await cookie(), ...headers };
    const key = { Authorization: `Bearer ${apiKey}`, ...headers };
    for (const reply of [
      await send("GET /_store/requests", page),
      await send("GET /_store/requests", key),
    ]) {
      expect(reply.status).toBe(status);
      expect(reply.headers).not.toHaveProperty("access-control-allow-origin");
    }
    // Below /v1 a key works as always, and the cookie does not.
    expect((await send("GET /v1/pets", page)).status).toBe(status === 200 ? 200 : 401);
  });

  it("may link to the page, but not put it into a frame", async () => {
    const { send } = await startPage();
    const link = { "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate" };
    expect((await send("POST /", { ...link, "Sec-Fetch-Dest": "document" })).status).toBe(403);
    expect((await send("GET /", { ...link, "Sec-Fetch-Dest": "iframe" })).status).toBe(403);
  });

  it("get no reply to a preflight", async () => {
    const { send } = await startPage();
    const reply = await send("OPTIONS /_store/requests", {
      Origin: "http://evil.example",
      "Access-Control-Request-Method": "GET",
    });
    expect(reply.status).toBe(403);
    expect(reply.headers).not.toHaveProperty("access-control-allow-origin");
  });
});

describe("each reply", () => {
  it("names the store, even for malformed requests", async () => {
    const { send, port, storage, apiKey } = await startPage();
    const id = storage.storeId();
    expect(id).toMatch(/^[0-9a-f]{16}$/);
    const authorized = { Authorization: `Bearer ${apiKey}` };
    for (const line of ["GET /v1/pets", "GET /v1/x", "GET /healthz", "GET /x", "GET /_store/state"])
      expect((await send(line, authorized)).headers["x-pets-store"]).toBe(id);
    const [malformed] = await sendRaw(port, ["NO SUCH THING\r\n\r\n"]);
    expect(malformed?.headers["x-pets-store"]).toBe(id);
  });
});
