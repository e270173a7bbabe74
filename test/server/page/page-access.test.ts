import { describe, expect, it } from "vitest";
import { pageCookies, setPageCookie } from "../../../src/server/page/page-access.ts";
import { exchangeOf } from "../../support/servers/exchange.ts";
import { sendRaw } from "../../support/servers/raw.ts";
import { startTestStore, type TestStoreOptions } from "../../support/servers/store.ts";

/** A store with a page, and a function that sends requests to it like a browser. */
async function startPage(options: TestStoreOptions = {}) {
  const store = await startTestStore({ hasPage: true, ...options });
  const { port, sessions } = store;
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
  const token = (): string => sessions?.issueToken() ?? "";
  const exchange = (headers: Readonly<Record<string, string>> = {}, its = token()) =>
    send("POST /", { Origin: `http://${host}`, ...headers }, JSON.stringify({ token: its }));
  /** Returns the headers of the page's own requests. */
  const own = async (): Promise<{ Cookie: string; "X-Pets-Page": string }> => {
    const { headers, body } = await exchange();
    const [cookie = ""] = headers["set-cookie"]?.split(";") ?? [];
    return { Cookie: cookie, "X-Pets-Page": JSON.parse(body).secret };
  };
  return { ...store, host, send, token, exchange, own };
}

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
    const own = {
      Cookie: given.split(";")[0] ?? "",
      "X-Pets-Page": JSON.parse(reply.body).secret,
    };
    const paths = ["session", "state", "requests", "pets", "limits", "faults"];
    for (const path of paths) expect((await send(`GET /_store/${path}`, own)).status).toBe(200);
  });

  it("opens nothing alone: another server of the host, to which browsers send it too, has no secret", async () => {
    const { own, send } = await startPage();
    const { Cookie, ...header } = await own();
    const other = await own();
    const [value = "", signature = ""] = Cookie.replace(/^[^=]*=/, "").split(".");
    const secrets = ["", "1", value, signature, `${value}.${signature}`, other["X-Pets-Page"]];
    for (const line of [
      "GET /_store/state",
      "GET /_store/requests",
      "GET /_store/events",
      "GET /_store/page",
      "GET /_store/session",
      "POST /v1/pets",
    ]) {
      expect((await send(line, { Cookie })).status).toBe(401);
      for (const secret of secrets)
        expect((await send(line, { Cookie, "X-Pets-Page": secret })).status).toBe(401);
      expect((await send(line, header)).status).toBe(401);
    }
    const renamed = { ...header, Cookie: Cookie.replace(/\d+=/, "1=") };
    expect((await send("GET /_store/state", renamed)).status).toBe(401);
  });

  it("counts towards no limit below /v1", async () => {
    const { own, send, storage } = await startPage({ plan: "1/min,1/day" });
    const headers = await own();
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
    const { own, send, host, apiKey } = await startPage();
    const headers = Object.fromEntries(
      Object.entries(odd).map(([name, value]) => [name, value.replace("HOST", host)]),
    );
    const page = { ...(await own()), ...headers };
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

describe("the cookie of the page", () => {
  it("is for this site and not for scripts, and with TLS only for TLS", () => {
    expect(setPageCookie(exchangeOf(), "v.s")).toBe(
      "pets_page_80=v.s; Path=/; Max-Age=2592000; HttpOnly; SameSite=Strict",
    );
    expect(setPageCookie(exchangeOf({ isEncrypted: true }), "v.s")).toMatch(/; Secure$/);
  });

  it.each([
    ["", []],
    ["pets_page_80=a", ["a"]],
    ["x=1; pets_page_80=a; pets_page_801=b;pets_page_80=c", ["a", "c"]],
    ["pets_page_81=a", []],
  ])("is read from %j", (cookie, expected) => {
    expect(pageCookies(exchangeOf({ headers: { cookie } }))).toEqual(expected);
  });
});
