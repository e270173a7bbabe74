import * as z from "zod/mini";
import type { ValueCheck } from "../../client/local-store.ts";
import { isLoopbackHost } from "../../core/loopback.ts";
import type { Verdict } from "../../server/judge/judge.ts";
import type { ListedStep } from "../../server/lab/script.ts";
import type { RequestEntry } from "../../server/request-log/types.ts";

/** Returns whether a value has the form of `schema`; fields that it does not name may be anything. */
function checkOf<T>(schema: z.core.$ZodType): ValueCheck<T> {
  return (value): value is T => z.safeParse(schema, value).success;
}

const counts = z.record(z.string(), z.number());

const entry = z.object({
  id: z.string(),
  time: z.string().check(z.refine((text) => Number.isFinite(Date.parse(text)))),
  remoteAddress: z.string(),
  keyId: z.nullable(z.string()),
  method: z.string(),
  path: z.string(),
  status: z.nullable(z.number()),
  durationMs: z.number(),
  fault: z.nullable(z.string()),
  early: z.boolean(),
  requestBody: z.string(),
  responseBody: z.string(),
  truncated: z.boolean(),
});

export const isEntry = checkOf<RequestEntry>(entry);

export const isEntries = checkOf<readonly RequestEntry[]>(z.array(entry));

/** What happened to a store. */
export interface State {
  readonly requests: Readonly<Record<string, number>>;
}

export const isState = checkOf<State>(
  z.object({ pets: z.number(), requests: counts, early: z.number(), bans: z.number() }),
);

export const isFaults = checkOf<object>(z.object({ fault: z.string(), latency: z.string() }));

export const isClock = checkOf<object>(z.object({ now: z.string(), frozen: z.boolean() }));

export const isStopping = checkOf<{ readonly pid: number }>(
  z.object({ pid: z.int().check(z.positive()) }),
);

export const isVerdict = checkOf<Verdict>(
  z.object({
    requests: counts,
    early: z.number(),
    bans: z.number(),
    duplicates: z.array(z.object({ name: z.string(), ids: z.array(z.number()) })),
    abandoned: z.number(),
  }),
);

const step = z.object({ on: z.string(), do: z.union([z.string(), z.number()]), taken: z.number() });

/** The steps of a store's script, and how often each was taken. */
export interface Script {
  readonly steps: readonly ListedStep[];
}

export const isScript = checkOf<Script>(z.object({ steps: z.array(step) }));

/** A link that can be shown: another server may name anything, and a terminal makes it clickable. */
export const isLink = checkOf<{ readonly url: string }>(
  z.object({ url: z.string().check(z.refine((text) => isLocalUrl(URL.parse(text)))) }),
);

function isLocalUrl(url: URL | null): boolean {
  return url !== null && /^https?:$/.test(url.protocol) && isLoopbackHost(url.hostname);
}
