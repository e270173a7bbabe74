import { Failure } from "../core/errors.ts";
import { isLoopbackHost } from "../core/loopback.ts";
import type { AttemptOutcome, Reply } from "./http/outcome.ts";
import type { Redaction } from "./http/redact.ts";
import { errorDetails } from "./read-response.ts";
import { failureOf } from "./report/request-failure.ts";
import type { PetsApiOptions } from "./types.ts";

/** What the failures of a local store depend on. */
export interface StoreAnswers {
  readonly options: Pick<PetsApiOptions, "baseUrl" | "keyHint" | "keyName" | "clock" | "signal">;
  readonly redaction: Redaction;
}

/** Returns the 200 of a store to a request below `/_store/NAME`. Throws a Failure for anything else. */
export function expectReply(store: StoreAnswers, name: string, outcome: AttemptOutcome): Reply {
  const { baseUrl, signal } = store.options;
  signal.throwIfAborted();
  if (outcome.kind !== "reply") throw failed(store, outcome);
  const { status, storeId } = outcome.reply;
  if (storeId === undefined && (status < 300 || status > 399)) throw notServed(baseUrl);
  if (status === 200) return outcome.reply;
  if (status === 404) throw notThere(baseUrl, name);
  const failure = failed(store, outcome);
  if (status !== 403) throw failure;
  // The key is valid; the message of the store says what is missing.
  const { kind, message, facts, code } = failure;
  throw new Failure(kind, message, { ...facts, code, hints: [] });
}

function failed(store: StoreAnswers, ended: AttemptOutcome): Failure {
  const { baseUrl, clock } = store.options;
  const outcome = ended.kind === "aborted" ? { kind: "timeout" as const } : ended;
  const final = { outcome, decision: { retry: false, limited: false }, attempts: 1 } as const;
  const details = errorDetails(final, store.redaction);
  // A store can be asked again without harm, whatever the method.
  const request = { ...store.options, method: "GET", now: clock.now() } as const;
  const failure = failureOf({ ...request, ...final, ...details });
  if (failure.kind !== "unreachable" || isLoopbackHost(baseUrl.hostname)) return failure;
  const { kind, message, facts, code } = failure;
  return new Failure(kind, message, { ...facts, code, hints: [onlyHere] });
}

const onlyHere = "a local store can be inspected only on its own machine, at a loopback address";

/** Returns the Failure of an address at which no `pets serve` answers. */
export function notServed({ host }: URL): Failure {
  return new Failure("service", `the service at ${host} is not run by \`pets serve\``, {
    retryable: false,
    hints: ["choose a local store with --profile: `pets store state --profile local`"],
  });
}

function notThere({ host }: URL, name: string): Failure {
  const what = name === "page" ? "no page" : "no such path for this request";
  const hint =
    name === "page"
      ? "it has one if started without --no-page, on a loopback address of this machine"
      : onlyHere;
  return new Failure("service", `the store at ${host} has ${what}`, {
    code: "not_found",
    status: 404,
    retryable: false,
    hints: [hint],
  });
}
