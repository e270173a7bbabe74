import type { IncomingMessage, ServerResponse } from "node:http";
import { parseExact } from "../../core/json/parse.ts";
import { asPetStatus } from "../../core/pet-rules.ts";
import { readRequestBody } from "../http/body.ts";
import { notesOf } from "../http/request-notes.ts";
import { bearerKey, unauthorized } from "../routes/auth.ts";
import { ApiError, badRequest, notFound } from "../routes/errors.ts";
import type { RouteReply } from "../routes/responses.ts";
import type { Area, Route, RoutedRequest } from "../routes/router.ts";
import { totalOf } from "../storage/status-counts.ts";
import { controlRoutes } from "./control-routes.ts";
import { animalCounter, animalsJson, keyLimits } from "./data-views.ts";
import { streamEntries } from "./event-stream.ts";
import type { InspectedParts, Inspector } from "./inspector.ts";
import { checkOwnOrigin } from "./page-access.ts";

/** Below `/_store` a valid key or the page's cookie is required, and no limit counts. */
export function inspectArea({ storage }: InspectedParts): Area {
  return {
    prefix: "/_store",
    admit: async (incoming) => {
      checkOwnOrigin(incoming);
      if (notesOf(incoming).isPage) return {};
      if ((await bearerKey(storage, incoming.rawHeaders)) === undefined) throw unauthorized();
      return {};
    },
  };
}

/** Returns the routes below `/_store` (store.md, Seeing what happens). */
export function inspectRoutes(parts: InspectedParts, inspector: Inspector): readonly Route[] {
  const { storage, faults } = parts;
  const countAnimals = animalCounter(storage);
  const state = async (): Promise<RouteReply> =>
    json({ pets: totalOf(await storage.countByStatus()), ...inspector.counts() });
  return [
    { path: "/_store/state", GET: state },
    { path: "/_store/requests", GET: () => jsonText(requestsJson(inspector)) },
    {
      path: "/_store/requests/{id}",
      GET: ({ parameter }) => {
        const entry = inspector.log.find(parameter);
        if (entry === undefined) throw notFound("the store does not remember this request");
        return jsonText(entry.json());
      },
    },
    { path: "/_store/events", GET: (request) => eventStream(inspector, request) },
    {
      path: "/_store/pets",
      GET: async ({ incoming }) =>
        jsonText(await animalsJson(storage, await countAnimals(), readStatus(incoming))),
    },
    { path: "/_store/limits", GET: async () => json(await keyLimits(parts)) },
    {
      path: "/_store/faults",
      GET: () => json(faults?.change({}) ?? { fault: "", latency: "0" }),
      POST: async ({ incoming, outgoing }) => {
        const { change } = faults ?? refuseChange();
        const inForce = change(parseChanges(await readRequestBody(incoming, outgoing)));
        inspector.changes.announce("faults", inForce);
        return json(inForce);
      },
    },
    {
      path: "/_store/reset",
      POST: async () => {
        if (faults === undefined) refuseChange();
        await inspector.reset();
        return state();
      },
    },
    ...controlRoutes(parts.control ?? {}),
  ];
}

/** Throws the ApiError (403) for a change that only a store with faults accepts. */
function refuseChange(): never {
  const message = "the store can only be changed or reset if it was started with --lab";
  throw new ApiError(403, "forbidden", message);
}

function requestsJson({ log }: Inspector): string {
  const texts = log.entries().map((entry) => entry.json());
  return `[${texts.join(",")}]`;
}

function eventStream(inspector: Inspector, { incoming }: RoutedRequest): RouteReply {
  const lastEventId = incoming.headers["last-event-id"];
  const { isPage } = notesOf(incoming);
  return {
    status: 200,
    body: "",
    headers: { "Content-Type": "text/event-stream", "Cache-Control": "no-store" },
    stream: (outgoing) => {
      const options = { lastEventId: lastEventId?.toString(), isPage };
      const end = streamEntries(inspector, sinkOf(outgoing), options);
      const forget = inspector.trackStream(end);
      outgoing.once("close", () => {
        forget();
        end();
      });
    },
  };
}

function sinkOf(outgoing: ServerResponse) {
  return {
    write: (text: string) => void outgoing.write(text),
    pendingBytes: () => outgoing.writableLength,
    onceDrained: (listener: () => void) => void outgoing.once("drain", listener),
    close: () => void outgoing.destroy(),
  };
}

function readStatus({ url = "" }: IncomingMessage) {
  const text = new URLSearchParams(url.split("?")[1]).get("status");
  return text === null ? undefined : asPetStatus(text);
}

function json(value: unknown): RouteReply {
  return jsonText(JSON.stringify(value));
}

function jsonText(body: string): RouteReply {
  return { status: 200, body, headers: { "Cache-Control": "no-store" } };
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

function parseChanges(body: Uint8Array): Readonly<Record<string, unknown>> {
  const value = parseJson(body);
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return { ...value };
  throw badRequest('the body must be a JSON object such as {"fault":"429:0.1","latency":"100±50"}');
}

function parseJson(body: Uint8Array): unknown {
  try {
    return parseExact(utf8.decode(body));
  } catch {
    return undefined;
  }
}
