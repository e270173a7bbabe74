import { badRequest } from "../api/errors.ts";
import { parseDuration } from "../../core/duration.ts";
import { parseIsoTime } from "../../core/iso-time.ts";
import type { RouteResponse } from "../api/response.ts";
import { readBody } from "../http/body.ts";
import type { Exchange } from "../http/exchange.ts";
import type { Route, RouteHandler } from "../routes/router.ts";
import { forbidden, jsonResponse, readObject } from "../routes/store-area.ts";
import type { Lab } from "./lab.ts";
import { parseScript, type ScriptStep } from "./script/parse-script.ts";
import { ScriptError } from "./script/script-error.ts";

/** What the routes of a lab need. */
interface LabRouteParts {
  readonly now: () => number;
  /** Undefined if the store was started without one. */
  readonly lab: Lab | undefined;
  /** Tells those who watch the store of a change. */
  readonly announce: (event: "faults" | "clock" | "script", value: unknown) => void;
  /** Called when the store is reset, before requests go on. */
  readonly onReset: () => void;
  /** Returns the response to a reset. */
  readonly describeState: () => Promise<RouteResponse>;
}

/** Returns the routes below `/_store` that tell what is in force, and change it. */
export function labRoutes(parts: LabRouteParts): readonly Route[] {
  const { now, lab } = parts;
  const settings = {
    faults: () => lab?.change({}) ?? { fault: "", latency: "0" },
    clock: () => ({
      now: new Date(now()).toISOString(),
      frozen: lab?.clock.isFrozen() ?? false,
    }),
    script: () => ({ steps: lab?.script.steps() ?? [] }),
  };
  const announce = (name: keyof typeof settings) => parts.announce(name, settings[name]());
  const changing =
    (change: (its: Lab, exchange: Exchange) => Promise<RouteResponse>): RouteHandler =>
    ({ exchange }) => {
      if (lab !== undefined) return change(lab, exchange);
      throw forbidden("the store can only be changed or reset if it was started with --lab");
    };
  const setting = (
    name: keyof typeof settings,
    change: (its: Lab, exchange: Exchange) => Promise<unknown>,
  ): Route => ({
    path: `/_store/${name}`,
    GET: () => jsonResponse(settings[name]()),
    POST: changing(async (its, exchange) => {
      await change(its, exchange);
      announce(name);
      return jsonResponse(settings[name]());
    }),
  });
  return [
    setting("faults", async (its, exchange) =>
      its.change(await readObject(exchange, faultsExample)),
    ),
    setting("clock", async (its, exchange) =>
      changeClock(its, await readObject(exchange, clockExample)),
    ),
    setting("script", async (its, exchange) =>
      its.script.replace(readScript(await readBody(exchange))),
    ),
    {
      path: "/_store/reset",
      POST: changing(async (its) => {
        await its.reset(parts.onReset);
        for (const name of ["faults", "clock", "script"] as const) announce(name);
        return parts.describeState();
      }),
    },
  ];
}

const faultsExample = '{"fault":"429:0.1","latency":"100±50"}';
const clockExample = '{"advance":"61s"}, {"set":"2030-12-05T00:00:00Z"} or {"frozen":true}';

/** Applies the fields `advance`, `set` and `frozen` of a body. Throws an ApiError (400), and then changes nothing. */
function changeClock({ clock }: Lab, body: Readonly<Record<string, unknown>>): void {
  const { advance, set, frozen, ...others } = body;
  const [unknown] = Object.keys(others);
  const isOne = advance === undefined || set === undefined;
  if (unknown !== undefined || Object.keys(body).length === 0 || !isOne)
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
