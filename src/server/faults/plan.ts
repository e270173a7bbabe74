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

/** How a lab begins: what share of requests fails how, how late replies are, and what chance comes from. */
export interface FaultSettings {
  readonly faults: FaultShares;
  readonly latency: Latency;
  /** A whole number from 0 to 2^32 - 1. */
  readonly seed: number;
}

/** What trouble is planned for requests; it may be changed while the store runs. */
export function faultPlan({ faults, latency, seed }: FaultSettings) {
  const source = seededDraws(seed);
  let current = { faults, latency };
  return {
    /** The trouble of the next request. */
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
     * Takes over the texts `fault` and `latency` of a body; what is left out stays, an empty text is
     * none of it. Answers what then holds. Throws a Problem (400), and then changes nothing.
     */
    change: (body: Readonly<Record<string, unknown>>) => {
      current = {
        faults: parseText(body.fault, "fault", parseFaults, faultSyntax) ?? current.faults,
        latency: parseText(body.latency, "latency", readLatency, latencySyntax) ?? current.latency,
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

function parseText<T>(
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

/** What chance decides of one request: numbers from 0 up to 1. */
interface Draw {
  readonly fault: number;
  /** Whether the fault strikes before the animal is kept, or after. */
  readonly moment: number;
  /** Where a reply is cut off. */
  readonly cut: number;
  readonly latency: number;
}

/** Chance that comes out the same each time. */
export interface SeededDraws {
  /** The lot of the next request. */
  next(): Draw;
  /** Begins again with the lot of the first. */
  reset(): void;
}

/**
 * Lots out of `seed`, a whole number from 0 to 2^32 - 1. Each takes as many random numbers, so that
 * what becomes of one request does not change the lots of those after it.
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
