import type { IncomingMessage } from "node:http";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { isLocalRequest } from "../../../src/server/faults/request.ts";
import { memoryData } from "../../../src/server/storage/sqlite/index.ts";
import { askLab, type Outcome, startTestLab, type TestLab } from "../../support/lab.ts";
import { startTestStore } from "../../support/store.ts";

const rex = (name = "Rex"): string => JSON.stringify({ name, categoryId: 1 });
const code = ({ body }: Outcome): unknown => JSON.parse(body).code;
const state = async (lab: TestLab) => JSON.parse((await askLab(lab, "GET /_store/state")).body);
const minute = Date.UTC(2026, 10, 5, 12, 0);

async function names(lab: TestLab): Promise<string[]> {
  const { body } = await askLab(lab, "GET /v1/pets?limit=100");
  return JSON.parse(body).map(({ name }: { name: string }) => name);
}

describe("X-Pets-Fault", () => {
  it("429 has every header of a real one, counts in no window, and leads to no ban", async () => {
    let now = minute + 30_000;
    const lab = await startTestLab({ plan: "3/min,9/day", clock: () => now });
    const forced = [];
    for (let count = 0; count < 9; count++) {
      forced.push(await askLab(lab, "GET /v1/pets", { fault: "429" }));
      now += 300;
    }
    for (const reply of forced)
      expect(reply).toMatchObject({
        status: 429,
        headers: {
          "content-type": "application/json",
          "retry-after": "1",
          "x-ratelimit-limit": "3",
          "x-ratelimit-remaining": "3",
          "x-ratelimit-reset": String((minute + 60_000) / 1000),
        },
      });
    for (let count = 0; count < 3; count++)
      expect((await askLab(lab, "GET /v1/pets")).status).toBe(200);
    const real = await askLab(lab, "GET /v1/pets");
    expect(real.status).toBe(429);
    expect(Object.keys(forced[0]?.headers ?? {})).toEqual(Object.keys(real.headers));
    expect(forced.map(code)).toEqual(forced.map(() => code(real)));
    expect(await state(lab)).toMatchObject({ bans: 0, requests: { 429: 10 } });
  });

  it("500 keeps nothing, and tells of the limits", async () => {
    const lab = await startTestLab({ plan: "3/min,9/day" });
    const reply = await askLab(lab, "POST /v1/pets", { body: rex(), fault: "500" });
    expect(reply).toMatchObject({ status: 500, headers: { "x-ratelimit-remaining": "2" } });
    expect(code(reply)).toBe("internal");
    expect(await lab.storage.count()).toBe(0);
    expect(lab.faults).toEqual([]);
  });

  it.each([
    ["reset", 0, "read ECONNRESET"],
    ["truncate", 201, undefined],
    ["hang", 0, "no answer in time"],
  ])("%s strikes before and after the animal is kept, and looks the same", async (...row) => {
    const [fault, status, error] = row;
    const lab = await startTestLab();
    const patienceMs = fault === "hang" ? 150 : 5_000;
    const ask = (_: unknown, n: number): Promise<Outcome> =>
      askLab(lab, "POST /v1/pets", { body: rex(`n${n}`), fault, patienceMs });
    const outcomes = await Promise.all(Array.from({ length: 40 }, ask));
    const kept = await names(lab);
    expect(kept.length).toBeGreaterThan(5);
    expect(kept.length).toBeLessThan(35);
    for (const outcome of outcomes) expect(outcome).toMatchObject({ status, error });
    expect(await state(lab)).toMatchObject({
      pets: kept.length,
      requests: { [status]: 40, 200: 1 },
    });
  });

  it("truncate cuts replies off anywhere in their bodies", async () => {
    const lab = await startTestLab();
    const ask = (_: unknown, n: number): Promise<Outcome> =>
      askLab(lab, "POST /v1/pets", { body: rex(`n${n}`), fault: "truncate" });
    const outcomes = await Promise.all(Array.from({ length: 40 }, ask));
    for (const { headers, body } of outcomes) {
      expect(Buffer.byteLength(body)).toBeLessThan(Number(headers["content-length"]));
      expect(headers).toHaveProperty("x-ratelimit-limit");
    }
    expect(new Set(outcomes.map(({ body }) => body.length)).size).toBeGreaterThan(5);
  });

  it("truncate gives a beginning of what the list would be", async () => {
    const lab = await startTestLab({ seed: 5 });
    const whole = await askLab(lab, "GET /v1/pets");
    const cut = await askLab(lab, "GET /v1/pets", { fault: "truncate" });
    expect(cut.headers["content-length"]).toBe(whole.headers["content-length"]);
    expect(cut.body.length).toBeLessThan(whole.body.length);
    // A character may be cut in two.
    expect(whole.body).toContain(cut.body.replace(/\uFFFD$/, ""));
  });

  it("truncate leaves no whole reply to HEAD", async () => {
    const lab = await startTestLab();
    expect((await askLab(lab, "HEAD /v1/pets", { fault: "truncate" })).status).toBe(0);
  });

  it("a wrong body is still refused under a reply that is cut off", async () => {
    const lab = await startTestLab();
    for (let count = 0; count < 8; count++) {
      const reply = await askLab(lab, "POST /v1/pets", { body: "{}", fault: "truncate" });
      expect(reply.status).toBe(400);
    }
    expect(await lab.storage.count()).toBe(0);
  });

  it("delay=MS holds the reply back, not what is done", async () => {
    const lab = await startTestLab();
    const start = performance.now();
    let isAnswered = false;
    const asked = askLab(lab, "POST /v1/pets", { body: rex(), fault: "delay=300" });
    void asked.then(() => (isAnswered = true));
    while ((await lab.storage.count()) === 0) await sleep(5);
    expect(isAnswered).toBe(false);
    expect((await asked).status).toBe(201);
    expect(performance.now() - start).toBeGreaterThan(295);
  });

  it.each(["", "503", "429,500", "delay=-1", "delay=x"].map((value) => [value || " ", value]))(
    "%j is a 400 that names what is allowed",
    async (fault) => {
      const lab = await startTestLab({ fault: "reset:1", plan: "9/min,9/day" });
      const reply = await askLab(lab, "GET /v1/pets", { fault });
      expect(reply).toMatchObject({ status: 400, headers: { "x-ratelimit-remaining": "8" } });
      expect(JSON.parse(reply.body).message).toMatch(/^X-Pets-Fault must be 429, 500,/);
    },
  );

  it.each([
    ["without a lab", "localhost", undefined],
    ["for another Host", "rebound.example", undefined],
    ["with a wrong key", "localhost", "pets_wrong"],
    ["without a key", "localhost", ""],
  ])("is as if it were not there %s", async (what, host, key) => {
    const store = await (what === "without a lab" ? startTestStore() : startTestLab());
    const reply = await askLab(store, "GET /v1/pets", {
      fault: "500",
      host,
      ...(key !== undefined && { key }),
    });
    expect(reply.status).toBe(key === undefined ? 200 : 401);
  });

  it("holds nobody back who has no valid key", async () => {
    const lab = await startTestLab();
    const how = { fault: "delay=5000", key: "pets_wrong", patienceMs: 2_000 };
    expect((await askLab(lab, "GET /v1/pets", how)).status).toBe(401);
  });

  it("comes after what the limits themselves refuse", async () => {
    const lab = await startTestLab({ plan: "1/min,9/day", clock: () => minute });
    await askLab(lab, "GET /v1/pets");
    for (const fault of ["429", "500", "reset", "truncate", "hang"]) {
      const reply = await askLab(lab, "GET /v1/pets", { fault });
      expect(reply).toMatchObject({ status: 429, headers: { "retry-after": "60" } });
    }
  });
});

const from = (remoteAddress: string | undefined, host: string | undefined): boolean =>
  isLocalRequest({ socket: { remoteAddress }, headers: { host } } as unknown as IncomingMessage);

describe("isFromHere", () => {
  it.each([
    ["127.0.0.1", "localhost"],
    ["127.0.0.1", "localhost:4010"],
    ["127.8.9.10", "LOCALHOST.:1"],
    ["::1", "[::1]:4010"],
    ["::ffff:127.0.0.1", "127.0.0.1:4010"],
    ["127.0.0.1", "store.localhost"],
  ])("%s asking %s is", (address, host) => {
    expect(from(address, host)).toBe(true);
  });

  it.each([
    ["192.168.0.7", "localhost"],
    ["::ffff:10.0.0.1", "localhost"],
    ["fe80::1%eth0", "localhost"],
    [undefined, "localhost"],
    ["127.0.0.1", undefined],
    ["127.0.0.1", ""],
    ["127.0.0.1", "evil.example"],
    ["127.0.0.1", "127.0.0.1.evil.example"],
    ["127.0.0.1", "localhost.evil.example:4010"],
    ["127.0.0.1", "evil.example@localhost"],
    ["127.0.0.1", "localhost/evil.example"],
    ["127.0.0.1", "localhost#evil.example"],
    ["127.0.0.1", "localhost:99999"],
    ["127.0.0.1", "0.0.0.0"],
  ])("%s asking %s is not", (address, host) => {
    expect(from(address, host)).toBe(false);
  });
});

const run = async (lab: TestLab) => {
  const seen = [];
  for (let n = 0; n < 60; n++) {
    const { status, body } = await askLab(lab, "POST /v1/pets", { body: rex(`n${n}`) });
    seen.push(`${status} ${body}`);
  }
  return { seen, kept: await lab.storage.list({ limit: 100, status: undefined }) };
};

describe("--fault", () => {
  const mix = "429:0.2,500:0.2,reset:0.1,truncate:0.2";
  it("strikes the same requests for the same seed, and again after a reset", async () => {
    const [one, two, other] = await Promise.all([
      startTestLab({ fault: mix, faultSeed: 5 }),
      startTestLab({ fault: mix, faultSeed: 5 }),
      startTestLab({ fault: mix, faultSeed: 6 }),
    ]);
    const [first, second, third] = await Promise.all([run(one), run(two), run(other)]);
    expect(second).toEqual(first);
    expect(third).not.toEqual(first);
    for (const status of [0, 201, 429, 500])
      expect(first.seen.some((line) => line.startsWith(`${status} `))).toBe(true);
    await askLab(one, "POST /_store/reset");
    expect(await run(one)).toEqual(first);
  });

  it("strikes only what has a valid key and is below /v1", async () => {
    const lab = await startTestLab({ fault: "reset:1" });
    expect((await askLab(lab, "GET /healthz")).status).toBe(200);
    expect((await askLab(lab, "GET /openapi.json")).status).toBe(200);
    expect((await askLab(lab, "GET /_store/state")).status).toBe(200);
    expect((await askLab(lab, "GET /v1/pets", { key: "" })).status).toBe(401);
    for (const target of ["/v1/pets", "/v1/nothing", "/x/../v1/pets", "http://h/v1/pets/1"])
      expect((await askLab(lab, `GET ${target}`)).status).toBe(0);
  });
});

describe("--latency", () => {
  it("holds every reply below /v1 back by about as much", async () => {
    const lab = await startTestLab({ latency: "150±50" });
    const times = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const start = performance.now();
        await askLab(lab, "GET /v1/pets");
        return performance.now() - start;
      }),
    );
    expect(Math.min(...times)).toBeGreaterThan(95);
    expect(Math.max(...times) - Math.min(...times)).toBeGreaterThan(20);
  });

  it("bans nobody for what was sent before the 429 came", async () => {
    let now = minute;
    const lab = await startTestLab({ plan: "1/min,9/day", clock: () => now, latency: "400" });
    await askLab(lab, "GET /v1/pets");
    const first = askLab(lab, "GET /v1/pets");
    // Until it is refused, which shows in the counts at once.
    while ((await state(lab)).requests[429] === undefined) await sleep(5);
    now += 300;
    const others = [1, 2, 3, 4].map(() => askLab(lab, "GET /v1/pets"));
    expect((await Promise.all([first, ...others])).map(code)).toEqual(
      Array(5).fill("rate_limited"),
    );
    expect(await state(lab)).toMatchObject({ early: 0, bans: 0 });
    now += 251;
    const late = [];
    for (let count = 0; count < 3; count++) late.push(code(await askLab(lab, "GET /v1/pets")));
    expect(late).toEqual(["rate_limited", "rate_limited", "key_banned"]);
    expect(await state(lab)).toMatchObject({ early: 3, bans: 1 });
  });
});

describe("early requests", () => {
  it("are those inside a Retry-After, forced or not, but for the ones on their way", async () => {
    let now = minute;
    const lab = await startTestLab({ plan: "2/min,9/day", clock: () => now });
    const at = async (ms: number, fault = "") => {
      now = minute + ms;
      await askLab(lab, "GET /v1/pets", { fault });
      return (await state(lab)).early;
    };
    expect(await at(0, "429")).toBe(0);
    expect(await at(250)).toBe(0);
    expect(await at(251)).toBe(1);
    // The limit is reached now.
    expect(await at(2_000)).toBe(1);
    expect(await at(2_250)).toBe(1);
    expect(await at(2_300)).toBe(2);
    expect(await at(60_000)).toBe(2);
  });
});

describe("below /_store", () => {
  it("is nothing without a lab", async () => {
    const store = await startTestStore();
    for (const line of ["POST /_store/reset", "POST /_store/faults", "GET /_store/state"])
      expect((await askLab(store, line)).status).toBe(404);
  });

  it.each([
    ["GET /_store/state", { host: "evil.example" }, 404],
    ["POST /_store/reset", { host: "evil.example" }, 404],
    ["POST /_store/reset", { key: "" }, 401],
    ["POST /_store/faults", { key: "pets_wrong", body: "{}" }, 401],
    ["GET /_store/state", { key: "" }, 401],
    ["GET /_store/nothing", {}, 404],
    ["GET /_store", {}, 404],
    ["GET /_store/reset", {}, 405],
    ["GET /_store/faults", {}, 405],
    ["POST /_store/state", {}, 405],
    ["HEAD /_store/state", {}, 200],
    ["POST /_store/faults", {}, 400],
    ["POST /_store/faults", { body: "[]" }, 400],
    ["POST /_store/faults", { body: "null" }, 400],
    ["POST /_store/faults", { body: '{"fault":5}' }, 400],
    ["POST /_store/faults", { body: '{"fault":"500:2"}' }, 400],
    ["POST /_store/faults", { body: '{"fault":"500:1","latency":"1s"}' }, 400],
    ["POST /_store/faults", { body: " ".repeat(70_000) }, 413],
  ])("%s with %j is %d, and changes nothing", async (line, how, status) => {
    const lab = await startTestLab({ seed: 2 });
    await lab.storage.add({ name: "Rex", categoryId: 1n });
    const reply = await askLab(lab, line, how);
    expect(reply.status).toBe(status);
    expect(reply.headers).not.toHaveProperty("x-ratelimit-limit");
    expect(reply.headers["www-authenticate"]).toBe(status === 401 ? "Bearer" : undefined);
    expect(reply.headers.allow ?? "none").toMatch(status === 405 ? /^(?:POST|GET, HEAD)$/ : /none/);
    expect(await state(lab)).toEqual({ pets: 3, requests: {}, early: 0, bans: 0 });
    expect((await askLab(lab, "GET /v1/pets")).status).toBe(200);
  });

  it("faults takes over what is given, and leaves the rest", async () => {
    const lab = await startTestLab({ fault: "500:1" });
    const change = async (body: string) =>
      JSON.parse((await askLab(lab, "POST /_store/faults", { body })).body);
    expect(await change("{}")).toEqual({ fault: "500:1", latency: "0" });
    expect(await change('{"latency":"5+-3","more":1}')).toEqual({ fault: "500:1", latency: "5±3" });
    expect((await askLab(lab, "GET /v1/pets")).status).toBe(500);
    expect(await change('{"fault":"429:1"}')).toEqual({ fault: "429:1", latency: "5±3" });
    expect((await askLab(lab, "GET /v1/pets")).status).toBe(429);
    expect(await change('{"fault":"","latency":""}')).toEqual({ fault: "", latency: "0" });
    expect((await askLab(lab, "GET /v1/pets")).status).toBe(200);
  });

  it("works under a ban, and reset lifts it with all that was counted", async () => {
    let now = minute;
    const lab = await startTestLab({ plan: "1/min,2/day", seed: 2, clock: () => now });
    const first = await askLab(lab, "POST /v1/pets", { body: rex() });
    await askLab(lab, "GET /v1/pets", { key: "" });
    await askLab(lab, "GET /v1/pets");
    now += 300;
    for (let count = 0; count < 4; count++) await askLab(lab, "GET /v1/pets");
    const before = { pets: 3, requests: { 201: 1, 401: 1, 429: 5 }, early: 4, bans: 1 };
    expect(await state(lab)).toEqual(before);
    const reply = await askLab(lab, "POST /_store/reset");
    const fresh = { pets: 2, requests: {}, early: 0, bans: 0 };
    expect(reply).toMatchObject({ status: 200, body: JSON.stringify(fresh) });
    const again = await askLab(lab, "POST /v1/pets", { body: rex() });
    expect(again).toMatchObject({ status: 201, body: first.body });
    expect(again.headers["x-ratelimit-remaining"]).toBe("0");
    const stranger = await askLab(lab, "GET /v1/pets", { key: "" });
    expect(stranger.headers["x-ratelimit-remaining"]).toBe("59");
  });

  it("reset while others add and list: whole, and no id twice", async () => {
    const lab = await startTestLab({ seed: 500, isSlow: true });
    const adds = Array.from({ length: 60 }, async (_, n) => {
      await sleep(n * 3);
      return askLab(lab, "POST /v1/pets", { body: rex(`n${n}`) });
    });
    const resets = [0, 1, 2].map(async (n) => {
      await sleep(n * 50);
      return askLab(lab, "POST /_store/reset");
    });
    expect((await Promise.all(resets)).map(({ status }) => status)).toEqual([200, 200, 200]);
    expect((await Promise.all(adds)).map(({ status }) => status)).toEqual(Array(60).fill(201));
    const listed = JSON.parse((await askLab(lab, "GET /v1/pets?limit=100")).body);
    const { pets } = await state(lab);
    expect(listed.map(({ id }: { id: number }) => id)).toEqual(
      Array.from({ length: 100 }, (_, place) => pets - place),
    );
    expect(lab.faults).toEqual([]);
  });

  it("reset to a seed that can't be read leaves all as it is", async () => {
    const { local } = memoryData();
    if (local === undefined) throw new Error("no data");
    const error = new Error("the seed is gone");
    const replaceAll = (): Promise<void> =>
      local.storage.replaceAll(
        (function* () {
          yield { name: "a", categoryId: 1n };
          throw error;
        })(),
      );
    const lab = await startTestLab({
      seed: 3,
      own: { ...local, storage: { ...local.storage, replaceAll } },
    });
    const before = await names(lab);
    expect((await askLab(lab, "POST /_store/reset")).status).toBe(500);
    expect(lab.faults).toEqual([error]);
    expect(await names(lab)).toEqual(before);
    const added = await askLab(lab, "POST /v1/pets", { body: rex() });
    expect(JSON.parse(added.body).id).toBe(4);
  });
});

describe("the end of a lab", () => {
  it("waits for nothing that hangs", async () => {
    const lab = await startTestLab();
    const hanging = askLab(lab, "GET /v1/pets", { fault: "hang" });
    while ((await state(lab)).requests[0] === undefined) await sleep(5);
    const start = performance.now();
    await lab.close();
    expect((await hanging).status).toBe(0);
    expect(performance.now() - start).toBeLessThan(2000);
  });

  it("of a connection that hangs comes when its client leaves, also amid a body", async () => {
    const lab = await startTestLab();
    const socket = connect({ port: lab.port, host: "127.0.0.1", allowHalfOpen: true });
    const closed = new Promise((close) => socket.once("end", close).once("error", close));
    const head = `Host: localhost\r\nAuthorization: Bearer ${lab.apiKey}\r\nX-Pets-Fault: hang`;
    socket.end(`POST /v1/pets HTTP/1.1\r\n${head}\r\nContent-Length: 50\r\n\r\n{"na`);
    socket.resume();
    await closed;
    socket.destroy();
    expect(await state(lab)).toMatchObject({ pets: 0, requests: { 0: 1 } });
  });

  it("comes with a reply that was held back, though its client keeps the connection", async () => {
    const lab = await startTestLab();
    const socket = connect({ port: lab.port, host: "127.0.0.1", allowHalfOpen: true });
    const said: Buffer[] = [];
    socket.on("data", (chunk) => said.push(chunk));
    const ended = new Promise((end) => socket.once("end", end));
    const head = `Host: localhost\r\nAuthorization: Bearer ${lab.apiKey}\r\nX-Pets-Fault: delay=300`;
    socket.write(`GET /v1/pets HTTP/1.1\r\n${head}\r\n\r\n`);
    while ((await state(lab)).requests[200] === undefined) await sleep(5);
    const start = performance.now();
    await lab.close();
    await ended;
    socket.destroy();
    expect(performance.now() - start).toBeLessThan(2000);
    expect(String(Buffer.concat(said))).toMatch(/^HTTP\/1.1 200 .*\[\]$/s);
  });

  it("forgets a reply that is held back when its client leaves", async () => {
    const lab = await startTestLab();
    const asked = askLab(lab, "GET /v1/pets", { fault: "delay=3600000", patienceMs: 100 });
    expect((await asked).error).toBe("no answer in time");
    const start = performance.now();
    await lab.close();
    expect(performance.now() - start).toBeLessThan(2000);
    const late = connect(lab.port, "127.0.0.1");
    await expect(new Promise((_, reject) => late.once("error", reject))).rejects.toThrow("REFUSED");
  });
});
