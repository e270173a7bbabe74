import { getSystemErrorMap } from "node:util";
import type { RowPlace } from "./format.ts";

/** The kinds of failures, with their exit codes (`help exit-codes`) and the codes in JSON of those that have no other. */
export const failureKinds = {
  internal: { exitCode: 1, code: "internal" },
  io: { exitCode: 1, code: "io" },
  usage: { exitCode: 2, code: "usage" },
  /** By the service. */
  rejected: { exitCode: 2, code: "usage" },
  not_found: { exitCode: 3, code: "not_found" },
  auth: { exitCode: 4, code: "no_api_key" },
  rate_limited: { exitCode: 5, code: "rate_limited" },
  unreachable: { exitCode: 6, code: "network" },
  service: { exitCode: 7, code: "bad_response" },
  outcome_unknown: { exitCode: 8, code: "outcome_unknown" },
  partial: { exitCode: 9, code: "partial" },
  hung_up: { exitCode: 129, code: "interrupted" },
  interrupted: { exitCode: 130, code: "interrupted" },
  terminated: { exitCode: 143, code: "interrupted" },
} as const;

export type FailureKind = keyof typeof failureKinds;

/** One invalid part of the input, for the `details` of a JSON error. */
export interface FailureDetail extends RowPlace {
  readonly field?: string;
  readonly message: string;
  /** The line of the file, if `line` is the number of an item in a JSON array. */
  readonly textLine?: number | undefined;
}

/** The facts of a failure besides its kind and message. Fields that do not apply are left out. */
interface FailureDetails {
  readonly code?: string;
  /** What to do next: at most three lines. */
  readonly hints?: readonly string[];
  readonly status?: number;
  /** Whether that reply had an Error body: it came from the service, not from a proxy before it. */
  readonly hasErrorBody?: true;
  /** Whether the same command may be given again without harm. */
  readonly retryable?: boolean;
  readonly retryAt?: number;
  readonly attempts?: number;
  /** The animal that was not added, or may not have been. */
  readonly pet?: Readonly<{ name: string; categoryId: bigint; status?: string | undefined }>;
  /** Whether an animal was sought in the lists. */
  readonly searched?: boolean;
  readonly details?: readonly FailureDetail[];
  /** How many more there are of these. */
  readonly moreDetails?: number;
  readonly file?: string;
  /** How many rows of an input were added before, by which, and when (ISO 8601, UTC). */
  readonly earlierRows?: Readonly<{ known: number; rows: number; file: string; at: string }>;
  readonly cause?: unknown;
}

/** An expected failure. Anything else that is thrown is an internal error. */
export class Failure extends Error {
  readonly kind: FailureKind;
  readonly code: string;
  readonly hints: readonly string[];
  readonly facts: FailureDetails;

  /** `message` may hold text from outside, so escape it before printing (core/sanitize.ts). */
  constructor(kind: FailureKind, message: string, facts: FailureDetails = {}) {
    super(message, { cause: facts.cause });
    this.name = "Failure";
    this.kind = kind;
    this.code = facts.code ?? failureKinds[kind].code;
    this.hints = facts.hints ?? [];
    this.facts = facts;
  }

  /** Returns the same failure with these facts, and perhaps another message. */
  with(facts: FailureDetails, message = this.message): Failure {
    return new Failure(this.kind, message, { ...this.facts, code: this.code, ...facts });
  }

  get exitCode(): number {
    return failureKinds[this.kind].exitCode;
  }
}

/** Thrown by a write to a closed standard output: the command ends quietly with 0. */
export class BrokenPipe extends Error {
  constructor() {
    super("the reader of standard output has closed it");
    this.name = "BrokenPipe";
  }
}

const signalKinds = { SIGHUP: "hung_up", SIGINT: "interrupted", SIGTERM: "terminated" } as const;

/** Returns the failure of a command that a signal ended: exit 129, 130 or 143. */
export function signalFailure(signal: keyof typeof signalKinds): Failure {
  const kind = signalKinds[signal];
  return new Failure(kind, kind.replace("_", " "), { retryable: true });
}

/** Returns whether `error` is the failure of something that a signal ended. */
export function isCancelled(error: unknown): boolean {
  return error instanceof Failure && failureKinds[error.kind].code === "interrupted";
}

/** Returns the failure of wrong usage or invalid input, found before anything was sent: exit 2. */
export function usageFailure(message: string, ...hints: string[]): Failure {
  return new Failure("usage", message, { hints });
}

/** Returns the failure of a file, port or stream that could not be used: exit 1. */
export function ioFailure(message: string, cause?: unknown, ...hints: string[]): Failure {
  return new Failure("io", message, { cause, hints });
}

const systemReasons: Readonly<Record<string, string>> = {
  EAI_AGAIN: "host name lookup failed",
  EHOSTUNREACH: "no route to host",
  EISDIR: "it is a directory",
  ENOTFOUND: "host name not found",
};

/** Returns the message of any thrown value; for a system error, its reason without the code. */
export function errorMessage(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = errorCode(error);
  const [, reason] = [...getSystemErrorMap().values()].find(([name]) => name === code) ?? [];
  return systemReasons[code] ?? reason ?? error.message;
}

/** Returns what `work` returns. Throws an io Failure that names the `problem` and the reason, in place of the system's error. */
export function orIoFailure<T>(problem: string, work: () => T, ...hints: string[]): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw ioFailure(`${problem}: ${errorMessage(error)}`, error, ...hints);
  }
}

/** Returns the code of an error of the system (`ENOENT`, …) or of a library, else an empty text. */
export function errorCode(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}

/** Returns whether `error` came from the system with this code. */
export function isSystemError(error: unknown, code: string): boolean {
  return errorCode(error) === code;
}
