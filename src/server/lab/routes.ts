import type { RouteResponse } from "../api/response.ts";
import { bodyOf } from "../http/body.ts";
import type { Exchange } from "../http/exchange.ts";
import type { Route, RouteHandler } from "../routes/router.ts";
import { forbidden, jsonResponse, readObject } from "../routes/store-area.ts";
import type { Lab } from "./lab.ts";

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
  const { lab, announce, onReset, describeState } = parts;
  const settings = settingsOf(parts);
  const changing =
    (
      change: (its: Lab, exchange: Exchange) => RouteResponse | Promise<RouteResponse>,
    ): RouteHandler =>
    (exchange) => {
      if (lab !== undefined) return change(lab, exchange);
      throw forbidden("the store can only be changed or reset if it was started with --lab");
    };
  const routes = settings.map(({ name, read, change }): Route => ({
    path: `/_store/${name}`,
    GET: () => jsonResponse(read()),
    POST: changing((its, exchange) => {
      change(its, exchange);
      announce(name, read());
      return jsonResponse(read());
    }),
  }));
  const reset = changing((its) => {
    its.reset();
    onReset();
    for (const { name, read } of settings) announce(name, read());
    return describeState();
  });
  return [...routes, { path: "/_store/reset", POST: reset }];
}

/** Returns what of a store is returned, and changed by the body of a POST: with an ApiError, nothing is. */
function settingsOf({ now, lab }: LabRouteParts) {
  return [
    {
      name: "faults",
      read: () => lab?.faults() ?? { fault: "", latency: "0" },
      change: (its: Lab, exchange: Exchange) =>
        its.changeFaults(readObject(exchange, '{"fault":"429:0.1","latency":"100±50"}')),
    },
    {
      name: "clock",
      read: () => lab?.time() ?? { now: new Date(now()).toISOString(), frozen: false },
      change: (its: Lab, exchange: Exchange) =>
        its.changeTime(readObject(exchange, '{"advance":"61s"}')),
    },
    {
      name: "script",
      read: () => ({ steps: lab?.script.steps() ?? [] }),
      change: (its: Lab, exchange: Exchange) =>
        its.changeScript(Buffer.from(bodyOf(exchange)).toString()),
    },
  ];
}
