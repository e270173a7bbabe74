import * as z from "zod/mini";
import type { Pet } from "../../core/pet.ts";

const list = <Item extends z.core.$ZodType>(item: Item) => z.readonly(z.array(item));
const counts = z.record(z.string(), z.number());

/** A request below /v1 that has ended (`help store`). */
const request = z.object({
  /** `STOREID-N`, where N ascends. */
  id: z.string(),
  /** When it arrived, in real time regardless of the store's clock: ISO 8601, UTC. */
  time: z.string().check(z.refine((text) => Number.isFinite(Date.parse(text)))),
  remoteAddress: z.string(),
  /** The id of its valid key, `page` for a request of the page, null without either. */
  keyId: z.nullable(z.string()),
  method: z.string(),
  /** Path and query. */
  path: z.string(),
  /** Null if there was no reply. */
  status: z.nullable(z.number()),
  durationMs: z.number(),
  /** What the rate-limit headers of the reply said; `resetAt` in ISO 8601, UTC. */
  limits: z.nullable(z.object({ limit: z.number(), remaining: z.number(), resetAt: z.string() })),
  fault: z.nullable(z.string()),
  /** Whether it arrived before Retry-After had elapsed. */
  early: z.boolean(),
  requestHeaders: z.record(z.string(), z.string()),
  requestBody: z.string(),
  responseHeaders: z.record(z.string(), z.string()),
  responseBody: z.string(),
  /** Whether a body was cut at 4 KiB, or headers at 8 KiB. */
  truncated: z.boolean(),
});

/** The limits of a key; times are ms since the epoch. */
const keyLimits = z.object({
  id: z.string(),
  plan: z.string(),
  /** The shorter first; `limit` is null for an unlimited one. */
  windows: list(
    z.object({
      seconds: z.number(),
      used: z.number(),
      limit: z.nullable(z.number()),
      resetAt: z.number(),
    }),
  ),
  waitUntil: z.nullable(z.number()),
  bannedUntil: z.nullable(z.number()),
});

/** A step of a script as it was written, and how many requests have taken it. */
const step = z.looseObject({
  on: z.string(),
  do: z.union([z.string(), z.number()]),
  times: z.optional(z.number()),
  taken: z.number(),
});

/** An animal, whose int64s are numbers where they are exact. */
type Animal = {
  readonly [Field in keyof Pet]: Pet[Field] extends bigint ? number | bigint : Pet[Field];
};

/** What the paths below `/_store` return: routes name a shape in `jsonResponse`, clients parse responses by it. */
export const storeShapes = {
  session: z.object({
    store: z.string(),
    /** The process that serves it. */
    run: z.string(),
    baseUrl: z.string(),
    data: z.string(),
    lab: z.boolean(),
    /** The profile in which the store is saved, if it is. */
    profile: z.nullable(z.string()),
  }),
  /** In exchange for the token of a link. */
  access: z.object({ secret: z.string() }),
  page: z.object({ url: z.string() }),
  state: z.object({ pets: z.number(), requests: counts, early: z.number(), bans: z.number() }),
  request,
  /** The newest 100 animals of a status, newest first, and how many there are of each. */
  pets: z.object({ total: z.number(), counts, pets: list(z.custom<Animal>()) }),
  limits: z.object({ now: z.number(), keys: list(keyLimits) }),
  faults: z.object({ fault: z.string(), latency: z.string() }),
  clock: z.object({ now: z.string(), frozen: z.boolean() }),
  script: z.object({ steps: list(step) }),
  /** How the clients of the store behaved (`help checks`). */
  check: z.object({
    /** How many requests below /v1 got each status; `0` counts those without a response. */
    requests: counts,
    /** How many were sent before a Retry-After elapsed. */
    early: z.number(),
    bans: z.number(),
    /** Animals that were added more than once, because a POST was sent again; ids read from JSON are numbers. */
    duplicates: list(z.object({ name: z.string(), ids: list(z.union([z.number(), z.bigint()])) })),
    /** How many GETs failed and were never answered. */
    abandoned: z.number(),
    /** Requests for paths outside /v1 where nothing is, by method and path. */
    outside: counts,
    /** Requests below /v1 with query parameters that their operation does not have, by the name of each. */
    parameters: counts,
    /** What was not valid HTTP, by the status that was sent. */
    malformed: counts,
  }),
  stop: z.object({ pid: z.int().check(z.positive()), start: z.optional(z.string()) }),
};

export type StoreShapes = {
  readonly [Name in keyof typeof storeShapes]: z.infer<(typeof storeShapes)[Name]>;
};
