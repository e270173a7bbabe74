// Compares the store with a bare node:http server that sends the same bytes, in one run: the
// servers and the load generator are separate processes that take turns, so that whatever else
// the machine does affects them equally.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { median } from "./cpu.ts";
import { buildEarlier } from "./store-earlier.ts";
import { firstAnswers } from "./store-first-answer.ts";
import {
  type BenchServer,
  type BenchStore,
  cpuMs,
  replyTo,
  residentMb,
  startBare,
  startLoad,
  startStore,
} from "./store-processes.ts";
import { remembering } from "./store-remembering.ts";

const rounds = Number(process.argv[2] ?? 11);
const roundMs = Number(process.argv[3] ?? 500);
const connections = 64;
const target = "/v1/pets?limit=100";
const pet = '{"name":"Rex the bench dog","categoryId":7,"status":"available"}';

const home = mkdtempSync(path.join(tmpdir(), "pets-bench-"));
const load = startLoad();
const running: BenchServer[] = [];

/** A bound, and the measured value. */
interface Line {
  readonly what: string;
  readonly value: number;
  readonly unit: string;
  readonly bound: number;
  readonly atLeast?: boolean;
  readonly note?: string;
}

try {
  const lines = process.argv.includes("earlier")
    ? await earlier()
    : [...(await starts()), ...(await rates()), await million(), ...(await earlier())];
  console.log(
    `\nMedians of ${rounds} interleaved rounds of ${roundMs} ms, Node ${process.versions.node}\n`,
  );
  for (const line of lines) console.log(lineText(line));
  if (!lines.every(isMet)) process.exitCode = 1;
} finally {
  await Promise.all([load.stop(), ...running.map((server) => server.stop())]);
  rmSync(home, { recursive: true, force: true });
}

/** Compares requests to a store with 10,000 animals with the bare server. */
async function rates(): Promise<readonly Line[]> {
  const store = await start("10k.db", 10_000);
  const idle = residentMb(store.pid);
  const bare = await startBare({
    GET: await replyTo(store, target),
    POST: await replyTo(store, "/v1/pets", { method: "POST", body: pet }),
  });
  running.push(bare);
  const list = get(store);
  const add = post(store);
  const between = await compare(store, bare, [list], connections);
  const after = await compare(store, bare, [add, list], 1);
  const adds = await compare(store, bare, [add], connections);
  return [
    { what: "idle memory", value: idle, unit: "MB", bound: 100 },
    atLeast("list 100 of 10,000, between writes", between.rate, 0.6, between),
    atLeast("list right after each write", after.latency, 0.3, after),
    atLeast(`durable adds on ${connections} connections`, adds.rate, 0.4, adds),
    {
      what: "memory after that",
      value: residentMb(store.pid),
      unit: "MB",
      bound: Infinity,
      note: `the bare server ${residentMb(bare.pid).toFixed(0)}MB`,
    },
  ];
}

/**
 * Compares with the build of an earlier commit, which remembered no requests, in turns, and measures what it
 * costs to remember and to read a thousand of them.
 */
async function earlier(): Promise<readonly Line[]> {
  const old = await start("old.db", 10_000, buildEarlier());
  const store = await start("new.db", 10_000);
  const lists = await compare(store, old, [get(store)], connections, [get(old)]);
  const adds = await compare(store, old, [post(store)], connections, [post(old)]);
  const memory = residentMb(store.pid) - residentMb(old.pid);
  const before = cpuMs(store.pid);
  const read = await replyTo(store, "/_store/requests");
  const { length } = JSON.parse(read.body) as readonly unknown[];
  const remembered = remembering();
  return [
    {
      ...atLeast("lists", lists.rate, 0.95, lists),
      what: "lists / before requests were remembered",
    },
    { ...atLeast("adds", adds.rate, 0.95, adds), what: "durable adds / before" },
    { what: "memory, beside the earlier build", value: memory, unit: "MB", bound: Infinity },
    {
      what: `CPU to remember ${remembered.count} requests`,
      value: remembered.cpuMs,
      unit: "ms",
      bound: Infinity,
      note: `they take ${remembered.mb.toFixed(1)} MB`,
    },
    {
      what: `CPU to read ${length} requests once`,
      value: cpuMs(store.pid) - before,
      unit: "ms",
      bound: Infinity,
      note: `${(read.body.length / 1e6).toFixed(1)} MB of JSON`,
    },
  ];
}

/** Compares a list of 100 right after each write, with a million animals and with a thousand. */
async function million(): Promise<Line> {
  const small = await start("1k.db", 1_000);
  const large = await start("1m.db", 1_000_000);
  const { latency, note } = await compare(small, large, [post(small), get(small)], 1, [
    post(large),
    get(large),
  ]);
  return { what: "list on 1,000,000 / on 1,000", value: 1 / latency, unit: "", bound: 1.2, note };
}

async function starts(): Promise<readonly Line[]> {
  const store = await start("start.db", 10_000);
  await store.stop();
  running.pop();
  const { ofBare, ofBareInMemory, note } = await firstAnswers(
    home,
    path.join(home, "start.db"),
    rounds,
  );
  return [
    { what: "start to first answer / node -e 0", value: ofBare, unit: "", bound: 4, note },
    { what: "the same with --memory", value: ofBareInMemory, unit: "", bound: 4 },
  ];
}

/**
 * Sends the same requests to both, in turns; the last of `requests` is timed. Returns medians of the
 * rounds' ratios: of the rates, and of the inverse times of a request.
 */
async function compare(
  one: BenchServer,
  other: BenchServer,
  requests: readonly string[],
  count: number,
  otherRequests = requests,
) {
  const ratios: { rate: number; latency: number; us: number; otherUs: number; cpu: number }[] = [];
  for (let round = -1; round < rounds; round += 1) {
    const measures = {
      mine: () => measure(one, requests, count),
      its: () => measure(other, otherRequests, count),
    };
    // In turns each is the first one, which finds the processor's caches cold.
    const first = round % 2 === 0 ? await measures.mine() : await measures.its();
    const second = round % 2 === 0 ? await measures.its() : await measures.mine();
    const [mine, its] = round % 2 === 0 ? [first, second] : [second, first];
    if (round === -1) continue;
    ratios.push({
      rate: mine.rate / its.rate,
      latency: its.medianUs / mine.medianUs,
      us: count === 1 ? mine.medianUs : 1e6 / mine.rate,
      otherUs: count === 1 ? its.medianUs : 1e6 / its.rate,
      cpu: its.cpuUs / mine.cpuUs,
    });
  }
  const of = (key: keyof (typeof ratios)[number]): number => median(ratios.map((r) => r[key]));
  const note = `${of("us").toFixed(1)} µs and ${of("otherUs").toFixed(1)} µs; of CPU ${of("cpu").toFixed(2)}`;
  return { rate: of("rate"), latency: of("latency"), note };
}

async function measure({ port, pid }: BenchServer, requests: readonly string[], count: number) {
  const before = cpuMs(pid);
  const timed = requests.length - 1;
  const job = { port, connections: count, ms: roundMs, requests, timed };
  const result = await load.run(job);
  const codes = Object.keys(result.statuses);
  if (codes.some((code) => !code.startsWith("2")))
    throw new Error(`responded with ${codes.join(", ")}`);
  const cpuUs = ((cpuMs(pid) - before) * 1000) / result.count;
  return { rate: (result.count / result.ms) * 1000, medianUs: result.medianUs, cpuUs };
}

async function start(file: string, seed: number, program?: string): Promise<BenchStore> {
  const args = ["--data", path.join(home, file), "--seed", String(seed)];
  const store = await startStore(home, args, program);
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

function atLeast(what: string, value: number, bound: number, { note }: { note: string }): Line {
  return { what: `${what} / bare`, value, unit: "", bound, atLeast: true, note };
}

function isMet({ value, bound, atLeast: least = false }: Line): boolean {
  return least ? value >= bound : value < bound || bound === Infinity;
}

function lineText(line: Line): string {
  const { what, value, unit, bound, atLeast: least = false, note = "" } = line;
  const wanted = bound === Infinity ? "" : `${least ? ">=" : "<"} ${bound}${unit}`;
  const verdict = bound === Infinity ? "" : isMet(line) ? "yes" : "NO";
  return `${what.padEnd(46)}${(value.toFixed(2) + unit).padStart(9)}  ${wanted.padEnd(9)}${verdict.padEnd(4)} ${note}`;
}
