import { type AnnouncedWait, type EndedRequest, hasFailed } from "../../../server/judge/facts.ts";
import type { Verdict } from "../../../server/judge/judge.ts";
import { chainsOf, findAbandoned, findDuplicates } from "../../../server/judge/repeats.ts";
import { findEarly, newBans } from "../../../server/judge/waits.ts";
import type { Scenario } from "./scenarios.ts";

export interface ScenarioRequest extends EndedRequest {
  /** The body as it was sent; undefined if it was not read because the key is not valid. */
  readonly body: string | undefined;
  /** What a 503 announced. */
  readonly retry?: AnnouncedWait | undefined;
  /** Whether the response said that no requests are left in the window. */
  readonly isUsedUp: boolean;
}

export interface ScenarioRun {
  /** In the order in which they were received. */
  readonly requests: readonly ScenarioRequest[];
  /** How often each step of the script was taken. */
  readonly taken: readonly number[];
  /** The requests outside /v1. */
  readonly outside: Verdict["outside"];
  /** Null if the command did not end in time. */
  readonly exitCode: number | null;
}

interface Problem {
  /** The number of the request, from 1; undefined if it is about the command as a whole. */
  readonly request?: number;
  readonly did: string;
  readonly should: string;
}

export interface ScenarioVerdict {
  readonly result: "passed" | "failed" | "not reached";
  readonly problems: readonly Problem[];
}

export const maxScenarioMs = 60_000;

type Numbered = ScenarioRequest & { readonly number: number };

/** Judges a command: safe is what cannot harm a store or its animals, and with 0 it may end only if all is done. */
export function judgeScenario(scenario: Scenario, run: ScenarioRun): ScenarioVerdict {
  const { exitCode } = run;
  if (exitCode === null) {
    const did = `the command did not end within ${maxScenarioMs / 1000} s`;
    const should = "set a time limit for each request, and a limit for tries";
    return { result: "failed", problems: [{ did, should }] };
  }
  if (!isReached(scenario, run)) return { result: "not reached", problems: outsideProblems(run) };
  const requests = run.requests.map((request, place) => ({ ...request, number: place + 1 }));
  const bans = requests.filter(newBans()).length;
  const did = `the command ended with exit code ${exitCode}`;
  const failed = { did, should: "wait or try again, and end with 0" };
  const banned = { did: "the key was banned", should: "stop sending when a request was refused" };
  const problems = [
    ...earlyProblems(requests),
    ...(bans > (scenario.before === "ban" ? 1 : 0) ? [banned] : []),
    ...duplicateProblems(requests),
    ...unauthorizedProblems(requests),
    ...(exitCode === 0 ? silentProblems(requests) : scenario.mayFail ? [] : [failed]),
  ];
  return { result: problems.length === 0 ? "passed" : "failed", problems };
}

function isReached({ before, script }: Scenario, { requests, taken }: ScenarioRun): boolean {
  if (before === "revoke") return requests.some(({ status }) => status === 401);
  if (before === "ban") return requests.some(({ wait }) => wait?.isBan === true);
  if (script === undefined) return requests.some(({ isUsedUp }) => isUsedUp);
  return taken.every((count) => count > 0);
}

/** Returns why a scenario may not have been reached: the first of the requests outside /v1. */
function outsideProblems({ outside }: ScenarioRun): readonly Problem[] {
  const should = "append paths to the whole PETS_BASE_URL";
  const first = Object.keys(outside).slice(0, 1);
  return first.map((request) => ({ did: `the command sent ${request}, outside /v1`, should }));
}

function problemWith(request: Numbered, did: string, should: string): Problem {
  const { number, method, target } = request;
  return { request: number, did: `request ${number} (${method} ${target}) ${did}`, should };
}

function earlyProblems(requests: readonly Numbered[]): readonly Problem[] {
  const isSequential = requests.every(
    ({ arrivedAt }, place) => arrivedAt >= (requests[place - 1]?.endedAt ?? -Infinity),
  );
  // If there was never more than one request at a time, none was in flight when its client got the Retry-After.
  const sent = isSequential ? requests.map((one) => ({ ...one, connection: 0 })) : requests;
  const early = [...findEarly(sent), ...findEarly(sent.map(waitingForEqual))];
  return early.map(({ request, refused }) => {
    const tooSoonMs = Math.round((refused.wait?.until ?? 0) - request.arrivedAtStore);
    const did = `was sent ${tooSoonMs} ms too soon: request ${refused.number} got ${refused.status} with Retry-After`;
    return problemWith(request, did, "wait until Retry-After has elapsed");
  });
}

/** Returns `request` with the wait of a 503, which is only for requests that are equal. */
function waitingForEqual(request: Numbered): Numbered {
  return { ...request, key: `${request.key}\n${textOf(request)}`, wait: request.retry };
}

/** Returns the same text for equal requests, with whatever key. */
function textOf({ method, target, body }: ScenarioRequest): string {
  return [method, target, body].join("\n");
}

function duplicateProblems(requests: readonly Numbered[]): readonly Problem[] {
  return findDuplicates(requests).flatMap(([first, ...others]) =>
    others.map((again) => {
      const name = JSON.stringify(again.added?.pet.name);
      const did = `added ${name} again, which request ${first?.number} had added`;
      return problemWith(again, did, "do not send a POST again that may have been carried out");
    }),
  );
}

const maxUnauthorized = 3;

function unauthorizedProblems(requests: readonly Numbered[]): readonly Problem[] {
  const unauthorized = requests.filter(({ status }) => status === 401);
  const did = `was sent more than ${maxUnauthorized} times though it got 401`;
  return [...Map.groupBy(unauthorized, textOf).values()]
    .flatMap((equal) => equal.slice(maxUnauthorized, maxUnauthorized + 1))
    .map((again) => problemWith(again, did, "report a 401, and send nothing more with that key"));
}

/** Returns the problems of a command that ended with 0, although not all was done. */
function silentProblems(requests: readonly Numbered[]): readonly Problem[] {
  return [...findAbandoned(requests, isOpen), ...findMissing(requests)].map((request) => {
    const did = `${outcomeOf(request)}, was not followed by one that succeeded, and the command ended with 0`;
    return problemWith(request, did, "send it again, or end with an error");
  });
}

/** Returns whether a GET got nothing that its command could use. */
function isOpen(request: EndedRequest): boolean {
  return hasFailed(request) || request.status === 401;
}

const isMissing = (post: EndedRequest) => post.added === undefined && isOpen(post);

/** Returns the last POST for each animal that was posted, and is not there. */
function findMissing(requests: readonly Numbered[]): readonly Numbered[] {
  const posts = requests.filter(({ method }) => method === "POST");
  return chainsOf(posts, (post) => `${post.key}\n${textOf(post)}`, isMissing)
    .filter((chain) => chain.isOpen)
    .map(({ last }) => last);
}

function outcomeOf({ status, isComplete }: EndedRequest): string {
  if (status === undefined) return "got no response";
  return isComplete ? `got ${status}` : "was cut off";
}
