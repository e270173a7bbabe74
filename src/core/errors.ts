/** The exit code of each kind of failure: the one place that decides it (contract.md, Exit codes). */
const exitCodes = {
  internal: 1,
  io: 1,
  usage: 2,
  not_found: 3,
  auth: 4,
  rate_limited: 5,
  unreachable: 6,
  service: 7,
  outcome_unknown: 8,
  partial: 9,
  interrupted: 130,
  terminated: 143,
} as const;

/** What kind of thing went wrong; it alone decides the exit code. */
export type FailureKind = keyof typeof exitCodes;

/** One invalid part of the input, for the `details` of a JSON error. */
interface FailureDetail {
  readonly line: number;
  readonly field?: string;
  readonly message: string;
}

/** What may be told of a failure beside its kind and message. Keys that do not apply are left out. */
export interface FailureDetails {
  /** The service's own code, or one of contract.md's; by default the one of the kind. */
  readonly code?: string;
  /** What to do next, a line each, at most two. */
  readonly hints?: readonly string[];
  /** The HTTP status of the reply that failed. */
  readonly status?: number;
  /** Whether the same command may be given again without harm. */
  readonly retryable?: boolean;
  /** From when it may be tried again, in ms since the epoch. */
  readonly retryAt?: number;
  /** How many requests were sent. */
  readonly attempts?: number;
  readonly details?: readonly FailureDetail[];
  readonly cause?: unknown;
}

const defaultCodes: Record<FailureKind, string> = {
  internal: "internal",
  io: "io",
  usage: "usage",
  not_found: "not_found",
  auth: "no_api_key",
  rate_limited: "rate_limited",
  unreachable: "network",
  service: "bad_response",
  outcome_unknown: "outcome_unknown",
  partial: "partial",
  interrupted: "interrupted",
  terminated: "interrupted",
};

// Several files of `dist` hold this module, each with classes of its own: `instanceof` asks for a mark.
const failureMark = Symbol.for("pets: failure");
const readerGoneMark = Symbol.for("pets: reader gone");

/** A failure that is known and expected. Anything else that is thrown is a fault in `pets` itself. */
export class Failure extends Error {
  readonly [failureMark] = true;
  readonly kind: FailureKind;
  readonly code: string;
  readonly hints: readonly string[];
  readonly facts: FailureDetails;

  /** `message` may hold text from outside: whoever prints it escapes it (output/sanitize). */
  constructor(kind: FailureKind, message: string, facts: FailureDetails = {}) {
    super(message, { cause: facts.cause });
    this.name = "Failure";
    this.kind = kind;
    this.code = facts.code ?? defaultCodes[kind];
    this.hints = facts.hints ?? [];
    this.facts = facts;
  }

  get exitCode(): number {
    return exitCodes[this.kind];
  }

  static override [Symbol.hasInstance](value: unknown): value is Failure {
    return value instanceof Error && failureMark in value;
  }
}

/** Thrown by a write to standard output whose reader went away: the command ends quietly with 0. */
export class BrokenPipe extends Error {
  readonly [readerGoneMark] = true;

  constructor() {
    super("the reader of standard output went away");
    this.name = "ReaderGone";
  }

  static override [Symbol.hasInstance](value: unknown): value is BrokenPipe {
    return value instanceof Error && readerGoneMark in value;
  }
}

/** What a command that a signal ended is told to have failed by: exit 130, or 143. */
export function signalFailure(signal: NodeJS.Signals): Failure {
  return signal === "SIGINT"
    ? new Failure("interrupted", "interrupted", { retryable: true })
    : new Failure("terminated", "terminated", { retryable: true });
}

/** Wrong usage or invalid input found here, before anything was sent: exit 2. */
export function usageFailure(message: string, ...hints: string[]): Failure {
  return new Failure("usage", message, { hints });
}

/** A file, port or stream that could not be used: exit 1. `cause` is what the system said. */
export function ioFailure(message: string, cause?: unknown, ...hints: string[]): Failure {
  return new Failure("io", message, { cause, hints });
}

/** What the system or a library says of `error`, for a message. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Returns whether `error` came from the system with this code (`ENOENT`, …). */
export function isSystemError(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
