// Compares the store with a bare node:http server that sends the same bytes, in one run: the
// servers and the load generator are separate processes that take turns, so that whatever else
// the machine does affects them equally.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { median } from "./cpu.ts";
import { buildEarlier } from "./store-earlier.ts";
import {
  type BenchServer,
  type BenchStore,
  cpuMs,
  replyTo,
  startBare,
  startLoad,
  startStore,
} from "./store-processes.ts";

const rounds = Number(process.argv[2] ?? 11);
const roundMs = Number(process.argv[3] ?? 500);
const connections = 64;
const target = "/v1/pets?limit=100";
const pet = '{"name":"Rex the bench dog","categoryId":7,"status":"available"}';

const home = mkdtempSync(path.join(tmpdir(), "pets-bench-"));
const load = startLoad();
const running: BenchServer[] = [];

/** A ratio, and its lower bound. */
interface Line {
  readonly what: string;
  readonly value: number;
  readonly bound: number;
  readonly note: string;
}

try {
  const lines = [...(await besideBare()), ...(await besideEarlier())];
  console.log(
    `\nMedians of ${rounds} interleaved rounds of ${roundMs} ms, Node ${process.versions.node}\n`,
  );
  for (const { what, value, bound, note } of lines) {
    const verdict = value >= bound ? "yes" : "NO";
    console.log(`${what.padEnd(32)}${value.toFixed(2)}  >= ${bound} ${verdict.padEnd(4)} ${note}`);
    if (value < bound) process.exitCode = 1;
  }
} finally {
  await Promise.all([load.stop(), ...running.map((server) => server.stop())]);
  rmSync(home, { recursive: true, force: true });
}

/** Compares requests to a store with 10,000 animals with the bare server. */
async function besideBare(): Promise<readonly Line[]> {
  const store = await start("10k.db");
  const bare = await startBare({
    GET: await replyTo(store, target),
    POST: await replyTo(store, "/v1/pets", { method: "POST", body: pet }),
  });
  running.push(bare);
  const lists = await compare(store, bare, get(store));
  const adds = await compare(store, bare, post(store));
  return [
    { what: "list 100 of 10,000 / bare", bound: 0.75, ...lists },
    { what: "durable adds / bare", bound: 0.45, ...adds },
  ];
}

/** Compares with the build of an earlier commit, which remembered no requests. */
async function besideEarlier(): Promise<readonly Line[]> {
  const old = await start("old.db", buildEarlier());
  const store = await start("new.db");
  const lists = await compare(store, old, get(store), get(old));
  const adds = await compare(store, old, post(store), post(old));
  return [
    { what: "lists / before", bound: 0.95, ...lists },
    { what: "durable adds / before", bound: 0.95, ...adds },
  ];
}

/** Sends the same request to both, in turns. Returns the median of the rounds' ratios of the rates. */
async function compare(one: BenchServer, other: BenchServer, request: string, its = request) {
  const ratios: { rate: number; us: number; otherUs: number; cpu: number }[] = [];
  for (let round = -1; round < rounds; round += 1) {
    // In turns each is the first one, which finds the processor's caches cold.
    const isFirst = round % 2 === 0;
    const first = isFirst ? await measure(one, request) : await measure(other, its);
    const second = isFirst ? await measure(other, its) : await measure(one, request);
    const [mine, theirs] = isFirst ? [first, second] : [second, first];
    if (round === -1) continue;
    ratios.push({
      rate: mine.rate / theirs.rate,
      us: 1e6 / mine.rate,
      otherUs: 1e6 / theirs.rate,
      cpu: theirs.cpuUs / mine.cpuUs,
    });
  }
  const of = (key: keyof (typeof ratios)[number]): number => median(ratios.map((r) => r[key]));
  const note = `${of("us").toFixed(1)} µs and ${of("otherUs").toFixed(1)} µs; of CPU ${of("cpu").toFixed(2)}`;
  return { value: of("rate"), note };
}

async function measure({ port, pid }: BenchServer, request: string) {
  const before = cpuMs(pid);
  const { count, ms, statuses } = await load.run({ port, connections, ms: roundMs, request });
  if (statuses.some((code) => !code.startsWith("2")))
    throw new Error(`responded with ${statuses.join(", ")}`);
  return { rate: (count / ms) * 1000, cpuUs: ((cpuMs(pid) - before) * 1000) / count };
}

async function start(file: string, program?: string): Promise<BenchStore> {
  const store = await startStore(
    home,
    ["--data", path.join(home, file), "--seed", "10000"],
    program,
  );
  running.push(store);
  return store;
}

function get({ apiKey }: BenchStore): string {
  return `GET ${target} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${apiKey}\r\n\r\n`;
}

function post({ apiKey }: BenchStore): string {
  const headers = `Content-Type: application/json\r\nContent-Length: ${pet.length}`;
  return `POST /v1/pets HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${apiKey}\r\n${headers}\r\n\r\n${pet}`;
}
