import type { Exchange } from "../http/exchange.ts";
import { identityDraws, type RequestIdentity } from "./draws.ts";
import {
  drawFault,
  drawLatency,
  type FaultShares,
  formatFaults,
  faultSyntax,
  type Latency,
  latencySyntax,
  formatLatency,
  parseFaults,
  withShares,
  parseLatency,
} from "./fault-spec.ts";
import { asText, fieldReader } from "./read-fields.ts";
import { faultTroubles, noTrouble, type Trouble } from "./trouble.ts";

/** The settings of fault injection at the start: shares of faults, latency, and the seed of the draws. */
export interface FaultSettings {
  readonly faults: FaultShares;
  readonly latency: Latency;
  /** A whole number from 0 to 2^32 - 1. */
  readonly seed: number;
}

/** Plans the faults of requests. */
export type FaultPlan = ReturnType<typeof faultPlan>;

/** Plans the faults of requests; it can be changed while the store runs. */
export function faultPlan({ faults, latency, seed }: FaultSettings) {
  const source = identityDraws(seed);
  let current = { faults, latency };
  /** Returns whether the next request depends on its draws. */
  const isRandom = (): boolean => current.faults.size > 0 || current.latency.jitter > 0;
  return {
    isRandom,
    /** Returns the trouble of the next request with this identity. */
    next: (identity: RequestIdentity): Trouble => {
      const { fault, moment, cut, latency: draw } = source.next(identity);
      const delayMs = drawLatency(current.latency, draw);
      const kind = identity.header || drawFault(current.faults, fault);
      if (kind === undefined) return { ...noTrouble, delayMs };
      const drawn = { name: kind, delayMs, cut, isKept: moment >= 0.5 };
      return { ...noTrouble, ...drawn, ...faultTroubles[kind] };
    },
    /** Returns the latency of a request for which nothing else is drawn, in ms. */
    latencyMs: ({ method, target }: Pick<Exchange, "method" | "target">): number =>
      isRandom()
        ? drawLatency(current.latency, source.next({ method, target, header: "" }).latency)
        : current.latency.ms,
    /** Goes back to the start. */
    restart: (): void => {
      source.reset();
      current = { faults, latency };
    },
    /**
     * Applies the texts `fault` and `latency` of a body; a missing one changes nothing, an empty one
     * or `off` means none. `change` is like `fault`, and leaves the kinds that it does not name as they are. Returns
     * the new settings. Throws an InvalidInput, and then changes nothing.
     */
    change: (body: Readonly<Record<string, unknown>>) => {
      const { optional } = fieldReader(body, ["fault", "latency", "change"]);
      const shares = optional("fault", faultSyntax, orOff(parseFaults)) ?? current.faults;
      const readChange = orOff((text) => withShares(shares, text));
      current = {
        faults: optional("change", faultSyntax, readChange) ?? shares,
        latency: optional("latency", latencySyntax, orOff(readLatency)) ?? current.latency,
      };
      return { fault: formatFaults(current.faults), latency: formatLatency(current.latency) };
    },
  };
}

function readLatency(text: string): Latency | undefined {
  return parseLatency(text === "" ? "0" : text);
}

/** Returns a parser of texts that may be `off`, for none. */
function orOff<T>(parse: (text: string) => T) {
  return asText((text) => parse(text === "off" ? "" : text));
}
