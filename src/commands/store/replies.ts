import * as z from "zod/mini";
import { isLoopbackHost } from "../../core/loopback.ts";

/** Returns whether a value has the form of `schema`; fields that it does not name may be anything. */
function checkOf<Schema extends z.core.$ZodType>(schema: Schema) {
  return (value: unknown): value is z.infer<Schema> => z.safeParse(schema, value).success;
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

/** What `pets store requests` shows of a request; JSON has all of it. */
export type Entry = z.infer<typeof entry>;

export const isEntry = checkOf(entry);

export const isEntries = checkOf(z.array(entry));

const state = z.object({
  pets: z.number(),
  requests: counts,
  early: z.number(),
  bans: z.number(),
});

export type State = z.infer<typeof state>;
export const isState = checkOf(state);

export const isFaults = checkOf(z.object({ fault: z.string(), latency: z.string() }));

export const isClock = checkOf(z.object({ now: z.string(), frozen: z.boolean() }));

export const isStopping = checkOf(z.object({ pid: z.int().check(z.positive()) }));

export const isVerdict = checkOf(
  z.object({
    requests: counts,
    early: z.number(),
    bans: z.number(),
    duplicates: z.array(z.object({ name: z.string(), ids: z.array(z.number()) })),
    abandoned: z.number(),
  }),
);

const step = z.looseObject({
  on: z.string(),
  do: z.union([z.string(), z.number()]),
  taken: z.number(),
});

const script = z.object({ steps: z.array(step) });

export type Script = z.infer<typeof script>;
export const isScript = checkOf(script);

/** A link that can be shown: another server may name anything, and a terminal makes it clickable. */
export const isLink = checkOf(
  z.object({ url: z.string().check(z.refine((text) => isLocalUrl(URL.parse(text)))) }),
);

function isLocalUrl(url: URL | null): boolean {
  return url !== null && /^https?:$/.test(url.protocol) && isLoopbackHost(url.hostname);
}
