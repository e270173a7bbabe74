import { badRequest } from "../api/errors.ts";
import { parseDuration } from "../../core/times.ts";
import { parseIsoTime } from "../../core/times.ts";
import type { RouteResponse } from "../api/response.ts";
import { readBody } from "../http/body.ts";
import type { Exchange } from "../http/exchange.ts";
import type { Route, RouteHandler } from "../routes/router.ts";
import { forbidden, jsonResponse, readObject } from "../routes/store-area.ts";
import type { Lab } from "./lab.ts";
import { parseScript, ScriptError, type ScriptStep, unknownField } from "./script/parse-script.ts";

/** What the routes of a lab need. */
interface LabRouteParts {
  readonly now: () => number;
  /** Undefined if the store was started without one. */
  readonly lab: Lab | undefined;
  /** Tells those who watch the store of a change. */
  readonly announce: (event: string, value: unknown) => void;
  /** Called when the store is reset, before requests go on. */
  readonly onReset: () => void;
  /** Returns the response to a reset. */
  readonly describeState: () => Promise<RouteResponse>;
}

/** Something of a store that is told, and changed by the body of a POST. */
interface Setting {
  readonly name: string;
  readonly read: () => unknown;
  /** Throws an ApiError (400), and then changes nothing. */
  readonly change: (lab: Lab, exchange: Exchange) => Promise<unknown>;
}

/** Returns the routes below `/_store` that tell what is in force, and change it. */
export function labRoutes(parts: LabRouteParts): readonly Route[] {
  const { lab, announce } = parts;
  const settings = settingsOf(parts);
  const changing =
    (change: (its: Lab, exchange: Exchange) => Promise<RouteResponse>): RouteHandler =>
    ({ exchange }) => {
      if (lab !== undefined) return change(lab, exchange);
      throw forbidden("the store can only be changed or reset if it was started with --lab");
    };
  const routeOf = ({ name, read, change }: Setting): Route => ({
    path: `/_store/${name}`,
    GET: () => jsonResponse(read()),
    POST: changing(async (its, exchange) => {
      await change(its, exchange);
      announce(name, read());
      return jsonResponse(read());
    }),
  });
  const reset = changing(async (its) => {
    await its.reset(parts.onReset);
    for (const { name, read } of settings) announce(name, read());
    return parts.describeState();
  });
  return [...settings.map(routeOf), { path: "/_store/reset", POST: reset }];
}

const faultsExample = '{"fault":"429:0.1","latency":"100±50"}';
const clockExample = '{"advance":"61s"}, {"set":"2030-12-05T00:00:00Z"} or {"frozen":true}';

function settingsOf({ now, lab }: LabRouteParts): readonly Setting[] {
  return [
    {
      name: "faults",
      read: () => lab?.change({}) ?? { fault: "", latency: "0" },
      change: async (its, exchange) =>
        its.change(await readFields(exchange, ["fault", "latency", "change"], faultsExample)),
    },
    {
      name: "clock",
      read: () => ({
        now: new Date(now()).toISOString(),
        frozen: lab?.clock.isFrozen() ?? false,
      }),
      change: async (its, exchange) =>
        changeClock(its, await readFields(exchange, ["advance", "set", "frozen"], clockExample)),
    },
    {
      name: "script",
      read: () => ({ steps: lab?.script.steps() ?? [] }),
      change: async (its, exchange) => its.script.replace(readScript(await readBody(exchange))),
    },
  ];
}

/** Returns the JSON object in a body. Throws an ApiError (400), also for a field that is none of `fields`. */
async function readFields(exchange: Exchange, fields: readonly string[], example: string) {
  const body = await readObject(exchange, example);
  const unknown = unknownField(body, fields);
  if (unknown !== undefined) throw badRequest(unknown);
  return body;
}

/** Applies the fields `advance`, `set` and `frozen` of a body. Throws an ApiError (400), and then changes nothing. */
function changeClock({ clock }: Lab, body: Readonly<Record<string, unknown>>): void {
  const { advance, set, frozen } = body;
  const isOne = advance === undefined || set === undefined;
  if (Object.keys(body).length === 0 || !isOne)
    throw badRequest(
      `the body must have one of advance and set, or frozen, such as ${clockExample}`,
    );
  if (frozen !== undefined && typeof frozen !== "boolean")
    throw badRequest("frozen must be true or false");
  const moment = targetMoment(clock.now(), advance, set);
  if (moment !== undefined && !clock.set(moment))
    throw badRequest("the store's time is never set back, nor past the year 9999");
  if (frozen !== undefined) clock.freeze(frozen);
}

function targetMoment(now: number, advance: unknown, set: unknown): number | undefined {
  if (advance !== undefined) {
    const text = typeof advance === "string" ? advance.replace(/^\+/, "") : "";
    const ms = parseDuration(text, { hasDays: true });
    if (ms !== undefined) return now + ms;
    throw badRequest('advance must be a duration, such as "61s", "10m" or "1d"');
  }
  if (set === undefined) return undefined;
  const moment = typeof set === "string" ? parseIsoTime(set) : undefined;
  if (moment !== undefined) return moment;
  throw badRequest('set must be a time in ISO 8601, such as "2030-12-05T00:00:00Z"');
}

function readScript(body: Uint8Array): readonly ScriptStep[] {
  try {
    return parseScript(Buffer.from(body).toString());
  } catch (error) {
    throw error instanceof ScriptError ? badRequest(error.message) : error;
  }
}
