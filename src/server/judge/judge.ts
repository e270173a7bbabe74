import type { StoreShapes } from "../api/store-shapes.ts";
import { type Arrived, type Ended, isBelow } from "../http/exchange.ts";
import { listParameters } from "../openapi/document.ts";
import { addTo, compared, reported, sumOf } from "./counts.ts";
import { type EndedRequest, factsOf } from "./facts.ts";
import { findAbandoned, findDuplicates } from "./repeats.ts";
import { announcedWaits, newBans } from "./waits.ts";

/** How the clients of a store behaved. */
export type Verdict = StoreShapes["check"];

/** How many requests are compared, the last ones. */
const maxKept = 200_000;

/** Returns what is known between two resets. */
const nothingKnown = () => ({
  requests: new Map<string, number>(),
  outside: new Map<string, number>(),
  parameters: new Map<string, number>(),
  malformed: new Map<string, number>(),
  early: 0,
  bans: 0,
  isNewBan: newBans(),
  kept: new Array<EndedRequest>(),
});

/** Returns a new judge. Unless it `compares` requests, its verdict has only counts. */
export function startJudging(compares = true) {
  const waits = announcedWaits();
  let before: Verdict | undefined;
  let known = nothingKnown();
  const count = (status = 0, isEarly: boolean): void => {
    addTo(known.requests, String(status));
    if (isEarly) known.early += 1;
  };
  /** Takes a request that has ended; in any order. */
  const take = (request: EndedRequest): void => {
    count(request.status, request.isEarly);
    if (known.isNewBan(request)) known.bans += 1;
    if (request.wait !== undefined) waits.add(request);
    if (compares) known.kept.push(request);
    // Seldom, as a long list is copied.
    if (known.kept.length > maxKept * 1.1) known.kept = known.kept.slice(-maxKept);
  };
  /** Returns the counts since the last reset. */
  const counts = () => {
    const { requests, early, bans } = known;
    return { requests: Object.fromEntries(requests), early, bans };
  };
  const verdict = (since: "reset" | "start"): Verdict => {
    const duplicates = findDuplicates(known.kept).map((group) => ({
      name: reported(group[0]?.added?.pet.name ?? ""),
      ids: group.flatMap(({ added }) => added?.id ?? []),
    }));
    const recent = {
      ...counts(),
      duplicates,
      abandoned: findAbandoned(known.kept).length,
      outside: Object.fromEntries(known.outside),
      parameters: Object.fromEntries(known.parameters),
      malformed: Object.fromEntries(known.malformed),
    };
    return since === "reset" || before === undefined ? recent : joined(before, recent);
  };
  return {
    waits,
    take,
    counts,
    verdict,
    /** Takes what is not valid HTTP, and got this status; 408 is also sent where nothing arrives. */
    takeMalformed: (status: number): void => {
      if (status !== 408) addTo(known.malformed, String(status));
    },
    /** Takes a request that has ended, unless it is the page's. */
    takeEnded: (ended: Ended): void => {
      if (ended.isPage) return;
      const { connection, isService, method, target, now } = ended.request;
      if (isMisdirected(ended))
        addTo(known.outside, reported(`${method} ${target.replace(/\?.*/s, "")}`));
      if (!isService) return;
      const status = ended.sent?.status;
      // Without comparing, only waits matter.
      if (!compares && status !== 429) return count(status, ended.decision.isEarly === true);
      for (const name of unknownParameters(ended.request)) addTo(known.parameters, reported(name));
      const request = withoutLongTexts(factsOf(ended));
      take(request);
      if (!request.isComplete) return;
      const unread = { isComplete: false, hasLeft: true };
      connection.onReset = () => void Object.assign(request, unread, { endedAt: now().real });
    },
    /** Limits, bans and animals start again. */
    reset: (): void => {
      before = verdict("start");
      known = nothingKnown();
      waits.clear();
    },
  };
}

/** Where no client of the service looks; browsers request the first two by themselves. */
const otherPaths = ["/favicon.ico", "/.well-known", "/_store"];

/** Returns whether a request found nothing outside /v1, and may be meant for the service. */
function isMisdirected({ request: { isService, path }, sent }: Ended): boolean {
  return !isService && sent?.status === 404 && !otherPaths.some((other) => isBelow(path, other));
}

/** Returns the names of the query parameters that a request's operation does not have; a preflight has none. */
function unknownParameters({ method, path, query }: Arrived): ReadonlySet<string> {
  const names = new Set(new URLSearchParams(method === "OPTIONS" ? "" : query).keys());
  if (path === "/v1/pets" && method !== "POST")
    for (const { name } of listParameters) names.delete(name);
  return names;
}

/** Returns a request with short texts, equal where they were: clients may send 64 KB in each. */
function withoutLongTexts({ key, target, added, ...others }: EndedRequest): EndedRequest {
  return {
    ...others,
    key: compared(key),
    target: compared(target),
    added: added && { ...added, pet: { ...added.pet, name: compared(added.pet.name) } },
  };
}

function joined(one: Verdict, other: Verdict): Verdict {
  return {
    requests: sumOf(one.requests, other.requests),
    early: one.early + other.early,
    bans: one.bans + other.bans,
    duplicates: [...one.duplicates, ...other.duplicates].slice(-maxKept),
    abandoned: one.abandoned + other.abandoned,
    outside: sumOf(one.outside, other.outside),
    parameters: sumOf(one.parameters, other.parameters),
    malformed: sumOf(one.malformed, other.malformed),
  };
}
