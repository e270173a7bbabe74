import { AsyncLocalStorage } from "node:async_hooks";
import type { FaultKind } from "./fault-spec.ts";
import type { ApiError } from "../routes/errors.ts";

/** What the lab has in mind for one request below /v1. */
export interface PlannedFault {
  readonly fault: FaultKind | undefined;
  /** Whether the fault strikes before the animal is kept. */
  readonly beforeCommit: boolean;
  /** Where a reply is cut off: a share of its body, from 0 up to 1. */
  readonly cut: number;
  /** How long the reply is held back, in ms. */
  readonly delayMs: number;
  /** What is wrong with the header that asked for trouble. */
  readonly problem: ApiError | undefined;
}

/** A request below /v1 while it is answered. */
export interface LabRequest extends PlannedFault {
  /** When it came, in ms since the epoch by the store's clock. */
  readonly arrivedAt: number;
  /** The fault that strikes, known once the limits have let the request through. */
  injected: FaultKind | undefined;
  /** Called when the reply goes out. */
  onSent: () => void;
}

/** The request that is being answered, wherever on its way that is asked. */
export const requestContext = new AsyncLocalStorage<LabRequest>();

/** How a request fails on the wire; undefined where its reply goes out as it is. */
export function wireFault({ injected }: LabRequest): "reset" | "truncate" | "hang" | undefined {
  return injected === "429" || injected === "500" ? undefined : injected;
}
