import { parseExact } from "../../core/json/parse.ts";
import { readRequestBody } from "../http/body.ts";
import { bearerKey, unauthorized } from "../routes/auth.ts";
import { badRequest, notFound } from "../routes/errors.ts";
import type { RouteReply } from "../routes/responses.ts";
import type { Area, Route } from "../routes/router.ts";
import type { FaultInjector } from "./index.ts";
import { isLocalRequest } from "./request.ts";

const utf8 = new TextDecoder("utf-8", { fatal: true });

/**
 * Below `/_store` a valid key is required, and no limit counts. Requests from other machines, or to
 * another name, get a 404 for every path (store.md, Faults on demand).
 */
export function faultsArea({ storage }: Pick<FaultInjector, "storage">): Area {
  return {
    prefix: "/_store",
    admit: async (incoming) => {
      if (!isLocalRequest(incoming)) throw notFound("there is nothing at this path");
      if ((await bearerKey(storage, incoming.rawHeaders)) === undefined) throw unauthorized();
      return {};
    },
  };
}

/** Returns the routes below `/_store`. */
export function faultRoutes(faults: FaultInjector): readonly Route[] {
  const state = async (): Promise<RouteReply> => json(await faults.state());
  return [
    { path: "/_store/state", GET: state },
    {
      path: "/_store/reset",
      POST: async () => {
        await faults.reset();
        return state();
      },
    },
    {
      path: "/_store/faults",
      POST: async ({ incoming, outgoing }) =>
        json(faults.change(parseChanges(await readRequestBody(incoming, outgoing)))),
    },
  ];
}

function json(value: unknown): RouteReply {
  return { status: 200, body: JSON.stringify(value) };
}

function parseChanges(body: Uint8Array): Readonly<Record<string, unknown>> {
  const value = parseBodyJson(body);
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return { ...value };
  throw badRequest('the body must be a JSON object such as {"fault":"429:0.1","latency":"100±50"}');
}

function parseBodyJson(body: Uint8Array): unknown {
  try {
    return parseExact(utf8.decode(body));
  } catch {
    return undefined;
  }
}
