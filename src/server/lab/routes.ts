import { parseDuration, parseIsoTime } from "../../core/times.ts";
import { badRequest } from "../api/errors.ts";
import type { RouteResponse } from "../api/response.ts";
import { readBody } from "../http/body.ts";
import type { Exchange } from "../http/exchange.ts";
import type { Route, RouteHandler } from "../routes/router.ts";
import { forbidden, jsonResponse, readObject } from "../routes/store-area.ts";
import type { Lab } from "./lab.ts";
import { asBoolean, asText, fieldReader, InvalidInput } from "./read-fields.ts";
import { parseScript } from "./script/parse-script.ts";

/** What the routes of a lab need. */
interface LabRouteParts {
  readonly now: () => number;
  /** Undefined if the store was started without one. */
  readonly lab: Lab | undefined;
  /** Tells those who watch the store of a change. */
  readonly announce: (event: string, value: unknown) => void;
  /** Called when the store was reset. */
  readonly onReset: () => void;
  /** Returns the response to a reset. */
  readonly describeState: () => Promise<RouteResponse>;
}

/** Returns the routes below `/_store` that tell what is in force, and change it. */
export function labRoutes(parts: LabRouteParts): readonly Route[] {
  const { lab, announce } = parts;
  const settings = settingsOf(parts);
  const changing =
    (change: (its: Lab, exchange: Exchange) => Promise<RouteResponse>): RouteHandler =>
    (exchange) => {
      if (lab !== undefined) return change(lab, exchange);
      throw forbidden("the store can only be changed or reset if it was started with --lab");
    };
  const routeOf = ({ name, read, change }: (typeof settings)[number]): Route => ({
    path: `/_store/${name}`,
    GET: () => jsonResponse(read()),
    POST: changing(async (_its, exchange) => {
      await change(exchange).catch((error: unknown) => {
        throw error instanceof InvalidInput ? badRequest(error.message) : error;
      });
      announce(name, read());
      return jsonResponse(read());
    }),
  });
  const reset = changing(async (its) => {
    its.reset();
    parts.onReset();
    for (const { name, read } of settings) announce(name, read());
    return parts.describeState();
  });
  return [...settings.map(routeOf), { path: "/_store/reset", POST: reset }];
}

const faultsExample = '{"fault":"429:0.1","latency":"100±50"}';
const clockExample = '{"advance":"61s"}, {"set":"2030-12-05T00:00:00Z"} or {"frozen":true}';

/** Returns what of a store is told, and changed by the body of a POST: with an InvalidInput or an ApiError, nothing is. */
function settingsOf({ now, lab }: LabRouteParts) {
  return [
    {
      name: "faults",
      read: () => lab?.change({}) ?? { fault: "", latency: "0" },
      change: async (exchange: Exchange) => lab?.change(await readObject(exchange, faultsExample)),
    },
    {
      name: "clock",
      read: () => ({
        now: new Date(now()).toISOString(),
        frozen: lab?.clock.isFrozen() ?? false,
      }),
      change: async (exchange: Exchange) =>
        lab && changeClock(lab, await readObject(exchange, clockExample)),
    },
    {
      name: "script",
      read: () => ({ steps: lab?.script.steps() ?? [] }),
      change: async (exchange: Exchange) =>
        lab?.script.replace(parseScript(Buffer.from(await readBody(exchange)).toString())),
    },
  ];
}

/** Applies the fields `advance`, `set` and `frozen` of a body. Throws an InvalidInput, and then changes nothing. */
function changeClock({ clock }: Lab, body: Readonly<Record<string, unknown>>): void {
  const { optional } = fieldReader(body, ["advance", "set", "frozen"]);
  const aheadMs = optional(
    "advance",
    'a duration, such as "61s", "10m" or "1d"',
    asText(parseAhead),
  );
  const moment = optional(
    "set",
    'a time in ISO 8601 from 1970 to 9999, such as "2030-12-05T00:00:00Z"',
    asText(parseIsoTime),
  );
  const frozen = optional("frozen", "true or false", asBoolean);
  if (Object.keys(body).length === 0 || (aheadMs !== undefined && moment !== undefined))
    throw new InvalidInput(
      `the body must have one of advance and set, or frozen, such as ${clockExample}`,
    );
  const target = aheadMs === undefined ? moment : clock.now() + aheadMs;
  if (target !== undefined && !clock.set(target))
    throw new InvalidInput("the store's time is never set back, nor past the year 9999");
  if (frozen !== undefined) clock.freeze(frozen);
}

function parseAhead(text: string): number | undefined {
  return parseDuration(text.replace(/^\+/, ""), { hasDays: true });
}
