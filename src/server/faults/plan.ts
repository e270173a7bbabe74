import { badRequest } from "../routes/errors.ts";
import { drawFault, faultSyntax, faultsText, type FaultShares, parseFaults } from "./fault-spec.ts";
import { faultSource } from "./fault-source.ts";
import {
  drawLatency,
  type Latency,
  latencySpelling,
  latencyText,
  parseLatency,
} from "./latency.ts";
import type { PlannedFault } from "./request.ts";

/** How a lab begins: what share of requests fails how, how late replies are, and what chance comes from. */
export interface LabSettings {
  readonly faults: FaultShares;
  readonly latency: Latency;
  /** A whole number from 0 to 2^32 - 1. */
  readonly seed: number;
}

/** What trouble is planned for requests; it may be changed while the store runs. */
export function labPlan({ faults, latency, seed }: LabSettings) {
  const source = faultSource(seed);
  let current = { faults, latency };
  return {
    /** The trouble of the next request. */
    next: (): PlannedFault => {
      const lot = source.next();
      return {
        fault: drawFault(current.faults, lot.fault),
        beforeCommit: lot.moment < 0.5,
        cut: lot.cut,
        delayMs: drawLatency(current.latency, lot.latency),
        problem: undefined,
      };
    },
    restart: (): void => source.reset(),
    /**
     * Takes over the texts `fault` and `latency` of a body; what is left out stays, an empty text is
     * none of it. Answers what then holds. Throws a Problem (400), and then changes nothing.
     */
    change: (body: Readonly<Record<string, unknown>>) => {
      current = {
        faults: take(body.fault, "fault", parseFaults, faultSyntax) ?? current.faults,
        latency: take(body.latency, "latency", readLatency, latencySpelling) ?? current.latency,
      };
      return { fault: faultsText(current.faults), latency: latencyText(current.latency) };
    },
  };
}

/** See `change`. */
export type LabChange = ReturnType<typeof labPlan>["change"];

function readLatency(text: string): Latency | undefined {
  return parseLatency(text === "" ? "0" : text);
}

function take<T>(
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
