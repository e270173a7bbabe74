import { AsyncLocalStorage } from "node:async_hooks";
import type { FaultKind } from "./faults.ts";
import type { Problem } from "./problem.ts";

/** What the lab has in mind for one request below /v1. */
export interface Trouble {
  readonly fault: FaultKind | undefined;
  /** Whether the fault strikes before the animal is kept. */
  readonly isBefore: boolean;
  /** Where a reply is cut off: a share of its body, from 0 up to 1. */
  readonly cut: number;
  /** How long the reply is held back, in ms. */
  readonly delayMs: number;
  /** What is wrong with the header that asked for trouble. */
  readonly problem: Problem | undefined;
}

/** A request below /v1 while it is answered. */
export interface LabRequest extends Trouble {
  /** When it came, in ms since the epoch by the store's clock. */
  readonly arrivedAt: number;
  /** Whether the limits have let it through: only then a fault strikes. */
  isAdmitted: boolean;
  /** Called when the reply goes out. */
  onSent: () => void;
}

/** The request that is being answered, wherever on its way that is asked. */
export const labRequests = new AsyncLocalStorage<LabRequest>();

/** How this request fails on the wire; undefined where its reply goes out as it is. */
export function strikeOf({
  isAdmitted,
  fault,
}: LabRequest): "reset" | "truncate" | "hang" | undefined {
  return isAdmitted && fault !== "429" && fault !== "500" ? fault : undefined;
}
