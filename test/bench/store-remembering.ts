import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { maxEntries, RequestLog } from "../../src/server/request-log/request-log.ts";
import { endedExchange, sentOf } from "../support/servers/exchange.ts";
import { median } from "./cpu.ts";

const rounds = 11;

/**
 * Measures what it costs a store to remember a thousand requests whose texts all differ: the CPU in ms, and the memory
 * in MB once what is remembered of them fills the log.
 */
export function remembering() {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc");
  const log = new RequestLog(() => "s", 1);
  const usedMb = (): number => {
    collect();
    return process.memoryUsage().heapUsed / 1e6;
  };
  const empty = usedMb();
  const times = Array.from({ length: rounds }, (_none, round) => {
    const exchanges = Array.from({ length: maxEntries }, (_each, at) => exchangeOf(round, at));
    const { user } = process.cpuUsage();
    for (const exchange of exchanges) log.take(exchange);
    return (process.cpuUsage().user - user) / 1000;
  });
  return { count: maxEntries, cpuMs: median(times), mb: usedMb() - empty };
}

function exchangeOf(round: number, at: number) {
  const text = `${round}-${at}`;
  const headers = {
    Host: "localhost:4010",
    Authorization: `Bearer pets_${text.padStart(32, "0")}`,
    "User-Agent": `bench/${text}`,
    Accept: "application/json",
    "X-Request-Id": text,
  };
  const sent = sentOf(200, `[${text.padStart(200)}]`, { "Content-Type": "application/json" });
  return endedExchange({ target: `/v1/pets?limit=10&n=${text}`, headers, keyId: "a", sent });
}
