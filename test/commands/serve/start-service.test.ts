import { copyFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Context } from "../../../src/commands/context.ts";
import type { ServeOptions } from "../../../src/commands/serve/options.ts";
import { readServeSettings } from "../../../src/commands/serve/settings.ts";
import { consoleLogger, startService } from "../../../src/commands/serve/start-service.ts";
import { keyId } from "../../../src/server/keys.ts";
import { openKeys } from "../../../src/server/storage/open.ts";
import { temporaryFolder } from "../../support/program/program.ts";
import { endedRequest, sentOf } from "../../support/servers/exchange.ts";
import { freePort } from "../../support/servers/free-port.ts";
import { tlsFiles } from "../../support/servers/tls.ts";
import { profileTest } from "../profile-context.ts";

/** Starts a store, by default in memory on a free port; it stops when the test ends. */
async function start(
  options: ServeOptions = {},
  { env = {}, knownKeys = [] as readonly string[] } = {},
) {
  const { context, stderr } = profileTest({ env, globals: { allowHttp: true } });
  const inMemory = options.data === undefined && { memory: true as const };
  const settings = readServeSettings(context, [], { port: 0, ...inMemory, ...options });
  const profile = {
    ownKey: knownKeys[0],
    knownKeys,
    save: async () => undefined,
    remove: async () => {},
  };
  const service = await startService(context, settings, { openProfile: async () => profile });
  let stopped: Promise<void> | undefined;
  const stop = () => (stopped ??= service.stop());
  onTestFinished(stop);
  const list = (apiKey: string) =>
    fetch(`${service.baseUrl}/pets`, { headers: { Authorization: `Bearer ${apiKey}` } });
  return { ...service, stop, list, stderr, keys: service.keys.map(({ apiKey }) => apiKey) };
}

const dataFile = (): string => path.join(temporaryFolder(), "store.db");
const valid = async (store: Awaited<ReturnType<typeof start>>, key = ""): Promise<boolean> =>
  (await store.list(key)).ok;

/** Returns the statuses with which a store shows its requests to these keys. */
const opens = ({ baseUrl }: { readonly baseUrl: string }, keys: readonly string[]) =>
  Promise.all(
    keys.map(async (key) => {
      const url = new URL("/_store/requests", baseUrl);
      return (await fetch(url, { headers: { Authorization: `Bearer ${key}` } })).status;
    }),
  );

describe("the address", () => {
  it.each<[ServeOptions, RegExp]>([
    [{}, /^http:\/\/127\.0\.0\.1:\d+\/v1$/],
    [{ host: "localhost" }, /^http:\/\/localhost:\d+\/v1$/],
    [{ host: "0.0.0.0" }, /^http:\/\/127\.0\.0\.1:\d+\/v1$/],
  ])("with %j is %s", async (options, baseUrl) => {
    const store = await start(options);
    expect(store.baseUrl).toMatch(baseUrl);
    expect(await valid(store, store.keys[0])).toBe(true);
  });

  it("with a self-signed certificate names the file that clients must trust", async () => {
    const { cert, key } = tlsFiles();
    const store = await start({ tlsCert: cert, tlsKey: key });
    expect(store.baseUrl).toMatch(/^https:/);
    expect([store.certificateToTrust, (await start()).certificateToTrust]).toEqual([
      cert,
      undefined,
    ]);
  });

  it.each([
    [{}, true],
    [{ page: false }, false],
    [{ host: "0.0.0.0" }, false],
  ])("with %j has a page: %s", async (options, hasPage) => {
    const { page, baseUrl } = await start(options);
    const link = `${new URL(baseUrl).origin}/#`;
    expect(page?.startsWith(link) ?? false).toBe(hasPage);
  });
});

/** Returns the plans of the keys in a data file, whether its store is running or not. */
async function plansIn(data: string): Promise<readonly string[]> {
  const keys = await openKeys(data);
  const plans = (await keys.listKeys()).map(({ plan }) => plan);
  await keys.close();
  return plans;
}

describe("the keys", () => {
  it("are one for each plan, in order", async () => {
    const data = dataFile();
    const store = await start({ data, plan: ["free", "pro", "5/min,9/day"] });
    const areValid = await Promise.all(store.keys.map((key) => valid(store, key)));
    expect(areValid).toEqual([true, true, true]);
    expect(await plansIn(data)).toEqual(["free", "pro", "5/min,9/day"]);
  });

  it("begin with PETS_SERVE_KEY, whatever keys are known", async () => {
    const data = dataFile();
    const first = await start({ data });
    await first.stop();
    const env = { PETS_SERVE_KEY: " of-a-ci-job " };
    const store = await start({ data }, { env, knownKeys: first.keys });
    expect(store.keys).toEqual(["of-a-ci-job"]);
    expect([await valid(store, "of-a-ci-job"), await valid(store, first.keys[0])]).toEqual([
      true,
      true,
    ]);
  });

  it("keep their plan at a restart, unless another one is given, which is said", async () => {
    const data = dataFile();
    const first = await start({ data, plan: ["pro"] });
    await first.stop();
    const after = async (plan?: readonly string[]) => {
      const again = await start({ data, ...(plan && { plan }) }, { knownKeys: first.keys });
      await again.stop();
      return [...(await plansIn(data)), again.stderr.text];
    };
    expect(await after([])).toEqual(["pro", ""]);
    const id = keyId(first.keys[0] ?? "");
    const change = `The plan of key ${id} is now 9/min; it was pro.\n`;
    expect(await after(["9/min"])).toEqual(["9/min", change]);
    expect(await after()).toEqual(["9/min", ""]);
  });

  it("begin with an operator's, and only such a one opens /_store, until it is revoked", async () => {
    const data = dataFile();
    const first = await start({ data, plan: ["free", "pro"] });
    expect(await opens(first, first.keys)).toEqual([200, 403]);
    await first.stop();
    const env = { PETS_SERVE_KEY: "of-a-ci-job" };
    const second = await start({ data, plan: ["free", "pro"] }, { env });
    const all = [...second.keys, ...first.keys];
    expect(await opens(second, all)).toEqual([200, 403, 200, 403]);
    const opened = await openKeys(data);
    await opened.removeKey(keyId(first.keys[0] ?? ""));
    await opened.close();
    expect(await opens(second, all)).toEqual([200, 403, 401, 403]);
    await second.stop();
    const third = await start({ data }, { knownKeys: first.keys });
    expect(await opens(third, [...third.keys, ...all])).toEqual([200, 200, 403, 401, 403]);
  });

  it("begin with the first known one that is valid on this data, else with a new one", async () => {
    const data = dataFile();
    const first = await start({ data });
    await first.stop();
    const again = await start({ data }, { knownKeys: ["elsewhere", ...first.keys] });
    expect(again.keys).toEqual(first.keys);
    const other = await start({}, { knownKeys: first.keys });
    expect(other.keys).not.toEqual(first.keys);
  });
});

it("starts its clock at --clock, and dates keys by the machine's", async () => {
  const data = dataFile();
  const store = await start({ data, lab: true, clock: Date.UTC(2031, 4, 6, 7, 8, 9) });
  const keys = await openKeys(data);
  expect((await keys.listKeys())[0]?.createdAt).toBeLessThan(Date.now() + 9_000);
  await keys.close();
  const { headers } = await store.list(store.keys[0] ?? "");
  expect(headers.get("Date")).toBe("Tue, 06 May 2031 07:08:09 GMT");
});

it("warns of a data file that knows none of the saved keys, as a copy without its WAL", async () => {
  const data = dataFile();
  const [copy, none] = [`${data}-copy`, `${data}-none`];
  const first = await start({ data });
  copyFileSync(data, copy);
  await first.stop();
  const warnings = [];
  for (const file of [data, none, copy])
    warnings.push((await start({ data: file }, { knownKeys: first.keys })).stderr.text);
  const warning = `warning: the saved key is not valid for ${copy}: it is other data, or was copied without its -wal file\n`;
  expect(warnings).toEqual(["", "", warning]);
});

it("says that the ids in a seed are ignored", async () => {
  const seed = `${dataFile()}.ndjson`;
  writeFileSync(seed, '{"id":7,"name":"Rex","categoryId":1}');
  const { stderr } = await start({ seed });
  expect(stderr.text).toContain("were ignored: the store numbers its animals from 1.\n");
});

it("says that a store with animals is not seeded", async () => {
  const data = dataFile();
  await (await start({ data, seed: 2 })).stop();
  const store = await start({ data, seed: 5 });
  expect(store.stderr.text).toBe("The store already has animals; --seed was ignored.\n");
  expect(await (await store.list(store.keys[0] ?? "")).json()).toHaveLength(2);
});

it("resets a file to its seed and its limits, also for the next start", async () => {
  const data = dataFile();
  const store = await start({ data, seed: 3, lab: true, plan: ["1/min,2/day"] });
  const [key = ""] = store.keys;
  const post = (target: string, body: string | null = null) => {
    const headers = { Authorization: `Bearer ${key}` };
    return fetch(new URL(target, store.baseUrl), { method: "POST", headers, body });
  };
  await post("/v1/pets", '{"name":"Rex","categoryId":1}');
  expect((await store.list(key)).status).toBe(429);
  const state = await (await post("/_store/reset")).json();
  expect(state).toEqual({ pets: 3, requests: {}, early: 0, bans: 0 });
  await store.stop();
  const list = await (await start({ data })).list(key);
  expect([list.status, await list.json()]).toMatchObject([200, [{ id: 3 }, { id: 2 }, { id: 1 }]]);
});

describe("a store that can't be started", () => {
  it.each([
    ["unusable data", { data: "/" }],
    ["a seed that is not there", { seed: "/no/such/file.csv" }],
    ["a certificate that is not there", { tlsCert: "/no/cert.pem", tlsKey: "/no/key.pem" }],
  ])("ends with exit 1 because of %s, frees its port and changes nothing", async (_what, odd) => {
    const [port, data] = [await freePort(), dataFile()];
    await expect(start({ data, ...odd, port })).rejects.toMatchObject({ kind: "io" });
    expect(existsSync(data)).toBe(false);
    expect((await start({ port })).baseUrl).toContain(`:${port}/`);
  });

  it("names a data file that turns out to be damaged once it is open", async () => {
    const data = dataFile();
    await (await start({ data, seed: 2_000 })).stop();
    writeFileSync(data, readFileSync(data).fill(0xa5, 4096));
    await expect(start({ data })).rejects.toMatchObject({
      kind: "io",
      message: expect.stringMatching(/^the data file .*store\.db cannot be used: .*malformed$/),
    });
  });
});

const noon = Date.UTC(2026, 10, 21, 12);
const sent = sentOf(200);
const fault = (name: string) => ({ fault: { name } });

/** Returns what is logged at noon on standard error. */
function reports(verbose: boolean) {
  const logged: string[] = [];
  const context = {
    clock: { now: () => noon, monotonic: () => 0 },
    settings: { verbose },
    stderr: { write: async (text: string) => void logged.push(text) },
  } as unknown as Context;
  return { logged, ...consoleLogger(context) };
}

it.each([
  ["its status", {}, "200 2500 ms"],
  ["a - without a valid key", { keyId: undefined }, "200 2500 ms"],
  ["that its client left", { sent: undefined }, "client gone 2500 ms"],
  ["that the page sent it", { isPage: true }, "200 2500 ms, page"],
  ["the fault it met", { ...fault("429"), sent: sentOf(429) }, "429 2500 ms, fault 429"],
  [
    "that it got no reply",
    { ...fault("hang"), sent: undefined },
    "no response 2500 ms, fault hang",
  ],
])("logs when a request arrived, and %s", (_what, odd, end) => {
  const { logged, onRequest } = reports(true);
  onRequest?.(
    endedRequest({ sent, keyId: "00ff", endedAt: 2_500.4, ...odd }),
    "/v1/pets?\u001b[2J",
  );
  const line = String.raw`127.0.0.1 ${"keyId" in odd ? "-" : "00ff"} GET /v1/pets?\x1b[2J`;
  expect(logged).toEqual([`2026-11-21T11:59:57.499Z ${line} ${end}\n`]);
});

it("logs what is not valid HTTP", () => {
  const { logged, onMalformed } = reports(true);
  onMalformed?.(400, "127.0.0.1");
  onMalformed?.(431, "");
  expect(logged).toEqual([
    "2026-11-21T12:00:00.000Z 127.0.0.1 - malformed request 400\n",
    "2026-11-21T12:00:00.000Z - - malformed request 431\n",
  ]);
});

it("logs requests only with --verbose, and an error without its stack otherwise", () => {
  const { logged, onError, ...others } = reports(false);
  expect(others).toEqual({});
  onError(new Error("no\nmore"));
  onError("odd");
  expect(logged).toEqual([
    String.raw`2026-11-21T12:00:00.000Z the store failed: no\nmore` + "\n",
    "2026-11-21T12:00:00.000Z the store failed: odd\n",
  ]);
});
