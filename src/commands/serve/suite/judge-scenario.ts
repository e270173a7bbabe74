import { findEarly } from "../../../server/judge/early.ts";
import { type EndedRequest, groupByText } from "../../../server/judge/facts.ts";
import { countBans } from "../../../server/judge/judge.ts";
import { chainsOf, findAbandoned, findDuplicates } from "../../../server/judge/repeats.ts";
import type { Scenario } from "./scenario.ts";

/** A request of a scenario. */
export interface ScenarioRequest extends EndedRequest {
  /** The body as it was sent; undefined if it was not read because the limits refused the request. */
  readonly body: string | undefined;
  /** Until when a 503 asked to wait, by the store's clock. */
  readonly retryAt?: number | undefined;
  /** Whether the response said that no requests are left in the window. */
  readonly isUsedUp: boolean;
}

/** What happened when a command ran in a scenario. */
export interface ScenarioRun {
  /** In the order in which they were received. */
  readonly requests: readonly ScenarioRequest[];
  /** How often each step of the script was taken. */
  readonly taken: readonly number[];
  /** Null if the command did not end in time. */
  readonly exitCode: number | null;
}

/** What a client did wrong, and should have done. */
interface Problem {
  /** The number of the request, from 1; undefined if it is about the command as a whole. */
  readonly request?: number;
  readonly did: string;
  readonly should: string;
}

/** The verdict on a command in a scenario. */
export interface ScenarioVerdict {
  readonly result: "passed" | "failed" | "not reached";
  readonly problems: readonly Problem[];
}

/** How long a command may take in a scenario, in ms. */
export const maxScenarioMs = 60_000;

/** Judges a command: safe is what cannot harm a store or its animals, and with 0 it may end only if all is done. */
export function judgeScenario(scenario: Scenario, run: ScenarioRun): ScenarioVerdict {
  if (run.exitCode === null) return { result: "failed", problems: [timedOut] };
  if (!isReached(scenario, run)) return { result: "not reached", problems: [] };
  const tell = describer(run.requests);
  const problems = [
    ...earlyProblems(run.requests, tell),
    ...banProblems(scenario, run.requests),
    ...duplicateProblems(run.requests, tell),
    ...uselessProblems(run.requests, tell),
    ...exitProblems(scenario, run, tell),
  ];
  return { result: problems.length === 0 ? "passed" : "failed", problems };
}

const timedOut: Problem = {
  did: `the command did not end within ${maxScenarioMs / 1000} s`,
  should: "set a time limit for each request, and a limit for tries",
};

function isReached({ before, plan, script }: Scenario, { requests, taken }: ScenarioRun): boolean {
  if (before === "revoke") return requests.some(({ status }) => status === 401);
  if (before === "ban") return requests.some(({ wait }) => wait?.isBan === true);
  if (script.length > 0) return taken.length > 0 && taken.every((count) => count > 0);
  return plan !== undefined && requests.some(({ isUsedUp }) => isUsedUp);
}

/** Tells which request one is: its number, and what it asked for. */
type Describe = (request: EndedRequest) => { readonly number: number; readonly text: string };

function describer(requests: readonly EndedRequest[]): Describe {
  const numbers = new Map(requests.map((request, place) => [request, place + 1]));
  return (request) => {
    const number = numbers.get(request) ?? 0;
    return { number, text: `request ${number} (${request.method} ${request.target})` };
  };
}

function earlyProblems(
  requests: readonly ScenarioRequest[],
  describe: Describe,
): readonly Problem[] {
  const isSequential = requests.every(
    ({ arrivedAt }, place) => arrivedAt >= (requests[place - 1]?.endedAt ?? -Infinity),
  );
  // If there was never more than one request at a time, none was in flight when its client was told to wait.
  const ofOneClient = (request: ScenarioRequest): ScenarioRequest =>
    isSequential ? { ...request, connection: 0 } : request;
  return [ofOneClient, (request: ScenarioRequest) => waitingForEqual(ofOneClient(request))]
    .flatMap((change) => earlyAmong(requests, change))
    .map(({ request, refused, until }) => {
      const { number, text } = describe(request);
      const tooSoonMs = Math.round(until - request.storeTime);
      return {
        request: number,
        did: `${text} was sent ${tooSoonMs} ms too soon: request ${describe(refused).number} got ${refused.status} with Retry-After`,
        should: "wait until Retry-After has elapsed",
      };
    });
}

/** Returns which requests are early after `change`, as they were before it. */
function earlyAmong(
  requests: readonly ScenarioRequest[],
  change: (request: ScenarioRequest) => ScenarioRequest,
) {
  const originals = new Map<EndedRequest, ScenarioRequest>(
    requests.map((request) => [change(request), request]),
  );
  return findEarly([...originals.keys()]).map(({ request, refused }) => ({
    request: originals.get(request) ?? request,
    refused: originals.get(refused) ?? refused,
    until: refused.wait?.until ?? 0,
  }));
}

/** Returns `request` with the wait of a 503, which is only for requests that are equal. */
function waitingForEqual(request: ScenarioRequest): ScenarioRequest {
  const { key, method, target, body, retryAt } = request;
  return {
    ...request,
    key: [key, method, target, body].join("\n"),
    wait: retryAt === undefined ? undefined : { until: retryAt, isBan: false },
  };
}

function banProblems({ before }: Scenario, requests: readonly EndedRequest[]): readonly Problem[] {
  const bans = countBans(requests) - (before === "ban" ? 1 : 0);
  if (bans <= 0) return [];
  return [{ did: "the key was banned", should: "stop sending when a request was refused" }];
}

function duplicateProblems(
  requests: readonly EndedRequest[],
  describe: Describe,
): readonly Problem[] {
  return findDuplicates(requests).flatMap(([first, ...others]) =>
    others.map((again): Problem => {
      const name = JSON.stringify(again.added?.name);
      const before = first === undefined ? 0 : describe(first).number;
      const { number, text } = describe(again);
      return {
        request: number,
        did: `${text} added ${name} again, which request ${before} had added`,
        should: "do not send a POST again that may have been carried out",
      };
    }),
  );
}

/** How often a request may be sent without a valid key. */
const maxUnauthorized = 3;

/** Returns the problems of requests that were sent again although nothing could come of it. */
function uselessProblems(
  requests: readonly ScenarioRequest[],
  describe: Describe,
): readonly Problem[] {
  const unauthorized = requests.filter(({ status }) => status === 401);
  return groupByText(unauthorized, ({ method, target, body }) => [method, target, body].join("\n"))
    .flatMap((equal) => equal.slice(maxUnauthorized, maxUnauthorized + 1))
    .map((request) => {
      const { number, text } = describe(request);
      return {
        request: number,
        did: `${text} was sent more than ${maxUnauthorized} times though it got 401`,
        should: "report a 401, and send nothing more with that key",
      };
    });
}

function exitProblems(
  { mustSucceed }: Scenario,
  { exitCode, requests }: ScenarioRun,
  describe: Describe,
): readonly Problem[] {
  if (exitCode !== 0)
    return mustSucceed
      ? [
          {
            did: `the command ended with exit code ${exitCode}`,
            should: "wait or try again, and end with 0",
          },
        ]
      : [];
  return [...findAbandoned(requests), ...findMissing(requests)].map((request) => {
    const { number, text } = describe(request);
    const did = `${text} ${outcomeOf(request)}, was not followed by one that succeeded, and the command ended with 0`;
    return { request: number, did, should: "send it again, or end with an error" };
  });
}

/** Returns the last POST for each animal that was posted, and is not there. */
function findMissing(requests: readonly ScenarioRequest[]): readonly EndedRequest[] {
  const posts = requests.filter(({ method }) => method === "POST");
  const lastAdded = posts.findLast(({ added }) => added !== undefined)?.arrivedAt ?? -Infinity;
  const [read, unread] = [true, false].map((isRead) =>
    posts.filter(({ body }) => (body !== undefined) === isRead),
  );
  const open = chainsOf(
    read ?? [],
    ({ key, target, body }) => [key, target, body].join("\n"),
    isMissing,
  )
    .filter(({ isOpen }) => isOpen)
    .flatMap(({ links }) => links.slice(-1));
  // Which animal an unread one was for is not known: any that was added later may be the one.
  return [...open, ...(unread ?? []).filter(({ arrivedAt }) => arrivedAt > lastAdded)];
}

function isMissing({ added, status = 0 }: EndedRequest): boolean {
  return added === undefined && (status === 0 || status === 429 || status >= 500);
}

function outcomeOf({ status, isComplete }: EndedRequest): string {
  if (status === undefined) return "got no response";
  return isComplete ? `got ${status}` : "was cut off";
}
