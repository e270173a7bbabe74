import { badRequest } from "../routes/errors.ts";
import { mulberry32 } from "../seed/generate.ts";
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
  parseLatency,
} from "./fault-spec.ts";
import type { PlannedFault } from "./request.ts";

/**
 * The settings of fault injection at the start: shares of faults, latency, and the seed of the
 * draws.
 */
export interface FaultSettings {
  readonly faults: FaultShares;
  readonly latency: Latency;
  /** A whole number from 0 to 2^32 - 1. */
  readonly seed: number;
}

/** Plans the faults of requests; it can be changed while the store runs. */
export function faultPlan({ faults, latency, seed }: FaultSettings) {
  const source = seededDraws(seed);
  let current = { faults, latency };
  return {
    /** Plans the next request. */
    next: (): PlannedFault => {
      const draw = source.next();
      return {
        fault: drawFault(current.faults, draw.fault),
        beforeCommit: draw.moment < 0.5,
        cut: draw.cut,
        delayMs: drawLatency(current.latency, draw.latency),
        headerError: undefined,
      };
    },
    restart: (): void => source.reset(),
    /**
     * Applies the texts `fault` and `latency` of a body; a missing one is not changed, an empty one
     * means none. Returns what then holds. Throws an ApiError (400), and then changes nothing.
     */
    change: (body: Readonly<Record<string, unknown>>) => {
      current = {
        faults: parseSetting(body.fault, "fault", parseFaults, faultSyntax) ?? current.faults,
        latency:
          parseSetting(body.latency, "latency", readLatency, latencySyntax) ?? current.latency,
      };
      return { fault: formatFaults(current.faults), latency: formatLatency(current.latency) };
    },
  };
}

/** See `change`. */
export type ChangeFaults = ReturnType<typeof faultPlan>["change"];

function readLatency(text: string): Latency | undefined {
  return parseLatency(text === "" ? "0" : text);
}

function parseSetting<T>(
  value: unknown,
  name: string,
  parse: (text: string) => T | undefined,
  spelling: string,
): T | undefined {
  if (value === undefined) return undefined;
  const parsed = typeof value === "string" ? parse(value) : undefined;
  if (parsed === undefined) throw badRequest(`${name} must be a string: ${spelling}`);
  return parsed;
}

/** The random numbers for one request, from 0 up to 1. */
interface Draw {
  readonly fault: number;
  /** Whether the fault happens before the animal is stored, or after. */
  readonly moment: number;
  /** Where a reply is truncated. */
  readonly cut: number;
  readonly latency: number;
}

/** Random numbers that are the same each time. */
export interface SeededDraws {
  /** Draws for the next request. */
  next(): Draw;
  /** Starts again with the draw of the first request. */
  reset(): void;
}

/**
 * Draws from `seed`, a whole number from 0 to 2^32 - 1. Each draw takes the same number of random
 * numbers, so that one request's fault does not change the draws after it.
 */
export function seededDraws(seed: number): SeededDraws {
  let random = mulberry32(seed);
  return {
    next: () => ({ fault: random(), moment: random(), cut: random(), latency: random() }),
    reset: () => {
      random = mulberry32(seed);
    },
  };
}
