import net from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { Failure } from "../../../src/core/errors.ts";
import { connect, failureOf, listen, rex, rexPet, serve, serveRaw } from "../support/service.ts";

const newPet = { name: "Rex", categoryId: 2n };
const list = JSON.stringify([rex]);
const ok = (body: string, ...headers: string[]): string =>
  ["HTTP/1.1 200 OK", ...headers, "", body].join("\r\n");

describe("a body over 8 MiB", () => {
  const large = Buffer.alloc(8 * 1024 * 1024 + 1, 32);

  it("is refused, and not requested again; of a refusal the status counts", async () => {
    await using service = await serve([200, large], [200, large], [401, large]);
    const { api } = connect(service.baseUrl);
    const failure = await failureOf(api.list({}));
    expect(failure).toMatchObject({ kind: "service", code: "bad_response" });
    expect(failure.facts).toMatchObject({ attempts: 1, status: 200 });
    expect(failure.message).toContain("8 MiB");
    expect(await failureOf(api.add(newPet))).toMatchObject({ kind: "outcome_unknown" });
    expect(await failureOf(api.list({}))).toMatchObject({ kind: "auth" });
  });

  it("of exactly 8 MiB is read", async () => {
    const body = Buffer.concat([large.subarray(0, large.length - 3), Buffer.from("[]")]);
    await using service = await serve([200, body]);
    expect(await connect(service.baseUrl).api.list({})).toEqual([]);
  });
});

describe("a reply that breaks", () => {
  const chunked = "transfer-encoding: chunked";
  const cut = ["service", "bad_response", "in the middle of its response"] as const;
  const garbled = ["service", "bad_response", "not valid HTTP"] as const;
  const gone = ["unreachable", "network", "without a response"] as const;

  it.each<[string, string, readonly [string, string, string]]>([
    ["a body shorter than its length", ok("[", "content-length: 99"), cut],
    ["the same on a closing connection", ok("[", "content-length: 99", "connection: close"), cut],
    ["no last chunk", ok("1\r\n[\r\n", chunked), cut],
    ["no last chunk, closing", ok("1\r\n[\r\n", chunked, "connection: close"), cut],
    ["half a chunk", ok("ff\r\n[", chunked), cut],
    ["no body although one was announced", ok("", "content-length: 2"), cut],
    ["half a head", "HTTP/1.1 200 OK\r\ncontent-le", cut],
    ["nothing", "", gone],
    ["no HTTP", "SSH-2.0-OpenSSH_9.9\r\n", garbled],
    ["a length that is not a number", ok("[]", "content-length: two"), garbled],
    ["two lengths", ok("[]", "content-length: 2", "content-length: 3"), garbled],
    ["chunks that are none", ok("zz\r\n[]", chunked), garbled],
    [
      "an unsolicited upgrade",
      "HTTP/1.1 101 Switching\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n",
      garbled,
    ],
  ])("%s", async (_name, reply, [kind, code, message]) => {
    await using service = await serveRaw(reply);
    const { api } = connect(service.baseUrl);
    const failure = await failureOf(api.list({}));
    expect(failure).toMatchObject({ kind, code, facts: { attempts: 4, retryable: true } });
    expect(failure.message).toContain(message);
    expect(service.connections).toBe(4);
    const unknown = await failureOf(api.add(newPet));
    expect(unknown).toMatchObject({ kind: "outcome_unknown", code: "outcome_unknown" });
    expect(unknown.facts).toMatchObject({ attempts: 1, retryable: false });
    expect(service.connections).toBe(5);
  });

  it.each(["", "HTTP/1.1 200 OK\r\n", ok("[", "content-length: 99")])(
    "is reset after %j",
    async (reply) => {
      await using service = await serveRaw(reply, (socket) => socket.resetAndDestroy());
      const { api } = connect(service.baseUrl);
      const kind = reply === "" ? "unreachable" : "service";
      expect(await failureOf(api.list({}))).toMatchObject({ kind, facts: { attempts: 4 } });
      expect(await failureOf(api.add(newPet))).toMatchObject({ kind: "outcome_unknown" });
    },
  );

  it.each([
    "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.0 100 \r\nx: y\r\n\r\n",
    "HTTP/1.1 103 Early Hints\r\nlink: <x>\r\n\r\n",
    "HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nx: y\r\n\r\n",
  ])("is not one whose body ends with the connection, after %j", async (early) => {
    await using service = await serveRaw(early + ok(list));
    expect(await connect(service.baseUrl).api.list({})).toEqual([rexPet]);
    expect(service.connections).toBe(1);
  });

  it.each([
    "HTTP/1.1 100 Continue\n\n",
    "HTTP/1.1 103 Early\nLink: a\n\n",
    "HTTP/1.1 1xx foo\r\n\r\n",
    "HTTP/1.1 1000 foo\r\n\r\n",
    "HTTP/1.1 10 foo\r\n\r\n",
    "HTTP/1.1 103 Early\r\na: b\rc: d\r\n\r\n",
  ])("is not waited for behind %j, which is no interim response", async (early) => {
    await using service = await serveRaw(early + created, () => {});
    const { api } = connect(service.baseUrl, { timeoutMs: 60_000 });
    const failure = await failureOf(api.add(newPet));
    expect(failure).toMatchObject({ kind: "outcome_unknown" });
    expect(failure.message).toContain("not valid HTTP");
  });

  it("is found behind interim responses, wherever their bytes are cut", async () => {
    const early = [
      "HTTP/1.1 100 Continue\r\n\r\n",
      "HTTP/1.1 100\r\n\r\n",
      "HTTP/1.1 103 Early Hints\r\nlink: <x>\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n",
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 102 P\r\n\r\nHTTP/1.0 100 \r\nx: y\r\n\r\n",
    ];
    const replies = early.flatMap((each) =>
      [3, 9, 10, 12, 23, 25, each.length - 1, each.length].map((at) => [each, at] as const),
    );
    for (const [each, at] of replies) {
      await using service = await serveRaw(each.slice(0, at), async (socket) => {
        await sleep(2);
        socket.end(each.slice(at) + created);
      });
      expect(await connect(service.baseUrl).api.add(newPet)).toEqual(rexPet);
    }
  });

  it.each<[string, string]>([
    ["is cut off", "content-length: 99\r\n\r\n{"],
    ["has broken chunks", "transfer-encoding: chunked\r\n\r\nzz\r\n"],
    ["is not gzip", "content-encoding: gzip\r\ncontent-length: 2\r\n\r\n{}"],
    ["is not UTF-8", "content-length: 1\r\n\r\n\xff"],
  ])("is reported by its status if it is a refusal whose body %s", async (_name, rest) => {
    await using service = await serveRaw(Buffer.from(`HTTP/1.1 403 No\r\n${rest}`, "latin1"));
    const { api } = connect(service.baseUrl);
    expect(await failureOf(api.list({}))).toMatchObject({ kind: "auth", facts: { attempts: 1 } });
    expect(await failureOf(api.add(newPet))).toMatchObject({ kind: "auth" });
  });
});

/** Lets the time-out of a request pass once the client has read what was sent to it. */
const passTimeout = (): void =>
  void setImmediate(() => setImmediate(() => setImmediate(() => vi.advanceTimersByTime(300))));

describe("--timeout", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
  afterEach(() => void vi.useRealTimers());

  it.each<[string, string]>([
    ["before the head", ""],
    ["within the head", "HTTP/1.1 200 OK\r\n"],
    ["within the body", ok("[", "content-length: 99")],
  ])("ends an attempt that hangs %s; a GET is sent once more", async (_name, reply) => {
    await using service = await serveRaw(reply, passTimeout);
    const { api } = connect(service.baseUrl, { timeoutMs: 300 });
    const failure = await failureOf(api.list({}));
    expect(failure).toMatchObject({ kind: "unreachable", code: "timeout" });
    expect(failure.facts).toMatchObject({ attempts: 2, retryable: true });
    const unknown = await failureOf(api.add(newPet));
    expect(unknown).toMatchObject({ kind: "outcome_unknown", facts: { attempts: 1 } });
    expect(service.connections).toBe(3);
  });

  it("covers the whole reply, however slowly it arrives", async () => {
    await using service = await serveRaw(ok("", "content-length: 9999"), (socket) => {
      const timer = setInterval(() => {
        socket.write(" ");
        vi.advanceTimersByTime(50);
      }, 10);
      socket.on("close", () => clearInterval(timer));
    });
    const { api } = connect(service.baseUrl, { timeoutMs: 300 });
    expect(await failureOf(api.add(newPet))).toMatchObject({ kind: "outcome_unknown" });
  });

  it("does not change what the status means of a refusal whose body hangs", async () => {
    const reply = "HTTP/1.1 404 Not Found\r\ncontent-length: 9\r\n\r\n{";
    await using service = await serveRaw(reply, passTimeout);
    const { api } = connect(service.baseUrl, { timeoutMs: 300 });
    expect(await failureOf(api.add(newPet))).toMatchObject({ kind: "not_found" });
  });

  it.each([Infinity, 2 ** 31, 1e15])("of %d ms does not fire at once", async (timeoutMs) => {
    await using service = await serve((response) => {
      setImmediate(() => {
        vi.advanceTimersByTime(30);
        response.end("[]");
      });
    });
    expect(await connect(service.baseUrl, { timeoutMs }).api.list({})).toEqual([]);
  });

  it("covers connecting, where nothing was sent, so a POST is sent again", async () => {
    // A listener whose backlog is full leaves further connections waiting.
    const server = net.createServer(passTimeout);
    await using service = await listen(server);
    const tls = new URL(service.baseUrl.href.replace("http:", "https:"));
    const { api } = connect(tls, { timeoutMs: 60 });
    const failure = await failureOf(api.add(newPet));
    expect(failure).toMatchObject({ kind: "unreachable", code: "timeout" });
    expect(failure.facts).toMatchObject({ attempts: 4, retryable: true });
  });
});

describe("no connection", () => {
  it("is tried 4 times if refused, for a POST too, and reported with the host", async () => {
    const service = await serve([200]);
    await service[Symbol.asyncDispose]();
    const { api, waits, events } = connect(service.baseUrl);
    for (const call of [api.list({}), api.add(newPet)]) {
      const failure = await failureOf(call);
      expect(failure).toMatchObject({ kind: "unreachable", code: "network" });
      expect(failure.facts).toMatchObject({ attempts: 4, retryable: true });
      expect(failure.message).toBe(
        `${service.baseUrl.host} is unreachable: connection refused (tried 4 times)`,
      );
    }
    expect(waits).toHaveLength(6);
    expect(events.filter(({ type }) => type === "failure")).toHaveLength(8);
  });

  it("is reported for a name that does not exist", async () => {
    const { api } = connect(new URL("http://nobody.invalid/v1"), { timeoutMs: 4000 });
    const failure = await failureOf(api.add(newPet));
    expect(failure).toMatchObject({ kind: "unreachable", facts: { attempts: 4 } });
    expect(failure.message).toContain("nobody.invalid is unreachable");
  });
});

const text = JSON.stringify(rex);
const created = `HTTP/1.1 201 Created\r\ncontent-length: ${text.length}\r\n\r\n${text}`;

describe("connections", () => {
  it("are reused one request after the other, and never for two at once", async () => {
    await using service = await serve([201, rex]);
    const { api } = connect(service.baseUrl);
    for (let row = 0; row < 5; row += 1) await api.add(newPet);
    const used = service.requests.map(({ connection }) => connection);
    expect(new Set(used).size).toBeLessThan(5);
    await Promise.all([1, 2, 3].map(() => api.add(newPet)));
    const { size } = new Set(service.requests.slice(5).map(({ connection }) => connection));
    expect(size).toBe(3);
  });

  it.each([
    ["idle for 70 ms", () => sleep(70)],
    [
      "idle while the process was busy",
      async () => {
        const end = performance.now() + 70;
        while (performance.now() < end);
      },
    ],
  ])("are not reused when they were %s", async (_what, idle) => {
    await using service = await serve([201, rex]);
    const { api } = connect(service.baseUrl);
    await api.add(newPet);
    await idle();
    await api.add(newPet);
    expect(service.requests.map(({ connection }) => connection)).toEqual([1, 2]);
  });

  it.each([
    ["end", 0],
    ["resetAndDestroy", 0],
    ["destroy", 0],
    ["end", 3],
    ["destroy", 3],
  ] as const)(
    "leave no POST in doubt if a service closes each one unannounced (%s after %i ms)",
    async (close, ms) => {
      // However busy the system is, the pool goes on watching until it sees the close.
      vi.useFakeTimers({ toFake: ["setTimeout"] });
      onTestFinished(() => void vi.useRealTimers());
      await using service = await serveRaw(created, (socket) =>
        ms === 0 ? setImmediate(() => socket[close]()) : void sleep(ms).then(() => socket[close]()),
      );
      const { api } = connect(service.baseUrl);
      const workers = [1, 2, 3, 4].map(async () => {
        for (let row = 0; row < 10; row += 1) expect(await api.add(newPet)).toEqual(rexPet);
      });
      await Promise.all(workers);
      expect(service.connections).toBe(40);
    },
  );

  it("are not reused if the service announces that it closes them", async () => {
    await using service = await serve([201, rex, { connection: "close" }]);
    const { api } = connect(service.baseUrl);
    for (let row = 0; row < 5; row += 1) await api.add(newPet);
    expect(service.requests.map(({ connection }) => connection)).toEqual([1, 2, 3, 4, 5]);
  });
});

const doubt = "; the animal may or may not have been added";

it.each([
  ["interrupted", "list", "", {}],
  ["terminated", "list", "", {}],
  ["interrupted", "add", doubt, { retryable: false }],
  ["terminated", "add", doubt, { retryable: false }],
] as const)("a command that is %s during %s fails%s", async (kind, operation, more, facts) => {
  const stop = new AbortController();
  await using service = await serve(() => stop.abort(new Failure(kind, kind)));
  const { api } = connect(service.baseUrl, { signal: stop.signal });
  const failure = await failureOf(operation === "add" ? api.add(newPet) : api.list({}));
  expect(failure).toMatchObject({
    kind,
    message: `${kind}${more}`,
    facts: { attempts: 1, ...facts },
  });
});
