export type Environment = Readonly<Record<string, string | undefined>>;

export interface Output {
  readonly isTTY: boolean;
  /** Width in columns; undefined if the stream is not a terminal, or its width is unknown. */
  readonly columns: number | undefined;
  /** Resolves when the system has taken all. Standard output rejects with a BrokenPipe or an io Failure. */
  write(text: string): Promise<void>;
}

export interface Input extends AsyncIterable<Uint8Array> {
  readonly isTTY: boolean;
  /** Reads one line from the terminal, and discards a paste beyond it, unless that is kept. Only if `isTTY`. */
  ask(prompt: string, options: AskOptions): Promise<string>;
  /** Returns questions for the terminal, which `signal` ends. Only if `isTTY`. */
  prompts(signal: AbortSignal): Promise<Prompts>;
}

export interface AskOptions {
  /** Whether the line is not shown. */
  readonly hidden?: boolean;
  /** Whether all lines of a paste are returned. */
  readonly keepsPaste?: boolean;
  /** The text that is there to be edited. */
  readonly typed?: string;
  readonly signal: AbortSignal;
}

/** Questions with an answer that is chosen, or typed until `check` has nothing to say against it. */
export interface Prompts {
  select<Value>(
    question: string,
    choices: readonly { readonly name: string; readonly value: Value }[],
    first?: Value,
  ): Promise<Value>;
  text(
    question: string,
    check: (text: string) => string | undefined,
    offered?: string,
  ): Promise<string>;
}

/** What a prompt needs: the streams, and what Ctrl-C does during it. */
export interface Terminal {
  readonly stdin: () => NodeJS.ReadStream;
  readonly stderr: () => NodeJS.WriteStream;
  readonly interrupt: () => void;
  readonly isatty: (fd: number) => boolean;
}

/** Returns whether the program runs at a terminal: any of its streams is one. */
export function hasTerminal(
  streams: Readonly<Record<"stdin" | "stdout" | "stderr", Pick<Output, "isTTY">>>,
): boolean {
  return streams.stdin.isTTY || streams.stdout.isTTY || streams.stderr.isTTY;
}

/** The longest delay of a Node timer, in ms (about 24 days); a longer one would fire at once. */
export const maxTimerMs = 2 ** 31 - 1;

export interface Clock {
  /** Milliseconds since the epoch, by the machine's clock, which may jump. */
  now(): number;
  /** Milliseconds from an arbitrary start, never going back. */
  monotonic(): number;
  /** Resolves after `ms`; rejects with the reason of `signal` as soon as that is aborted. Keeps the process alive. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** What all processes on one machine agree on, even if its clock is changed. */
export interface Machine {
  readonly pid: number;
  /** The number of the user; undefined where users have none (Windows). */
  readonly uid?: number | undefined;
  isAlive(pid: number): boolean;
  /** Returns when a process was started, in the system's own count: no two with one number have the same. Empty if unknown. */
  startOf(pid: number): string;
  /** Milliseconds since the machine was started, sleep included. */
  uptime(): number;
  /** How far that may be behind, in ms: how often the system's own value changes. */
  readonly tickMs: number;
  /** Identifies this start of the machine; empty where the system has no such id. */
  bootId(): string;
}

export const terminationSignals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
export type TerminationSignal = (typeof terminationSignals)[number];

/** Other signals that go to a command that the program runs, too. */
export const forwardedSignals = [
  "SIGQUIT",
  "SIGUSR1",
  "SIGUSR2",
  "SIGALRM",
  "SIGCONT",
  "SIGWINCH",
] as const;
export type ForwardedSignal = (typeof forwardedSignals)[number];

export interface Signals {
  /** Aborted by a termination signal, with its Failure (exit 129, 130 or 143) as the reason. */
  readonly signal: AbortSignal;
  /** Passes termination signals to `listener` instead of aborting `signal`, until the returned function is called. */
  readonly interceptSignals: (listener: (signal: TerminationSignal) => void) => () => void;
  /** Ends the process at once, by `signal`. */
  readonly exitNow: (signal: TerminationSignal) => void;
  /** Passes the other signals to `listener`, in place of their default action, until the returned function is called. */
  readonly interceptForwarded: (listener: (signal: ForwardedSignal) => void) => () => void;
}
