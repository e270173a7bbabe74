import type { IncomingMessage, ServerResponse } from "node:http";
import { discardUnread } from "../http/body.ts";
import { checkHost, isBelow, requestPath, type RequestHandler } from "../http/request-intake.ts";
import { notesOf } from "../http/request-notes.ts";
import type { WindowState } from "../rate-limits/windows.ts";
import { ApiError, notFound, toApiError } from "./errors.ts";
import { type RouteReply, replyHeaders } from "./responses.ts";

/** A request, and the part of its path that matched `{…}` in the path of its route. */
export interface RoutedRequest {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly parameter: string;
}

/** Returns the reply to a request, or throws an ApiError. */
export type RouteHandler = (request: RoutedRequest) => RouteReply | Promise<RouteReply>;

/** One line of the table of routes. */
export interface Route {
  /** As in OpenAPI; `{…}` matches one segment, and a path has one at most. */
  readonly path: string;
  /** Also handles HEAD, for which node:http leaves the body out. */
  readonly GET?: RouteHandler;
  readonly POST?: RouteHandler;
  /** Throws an ApiError (404) for an invalid parameter, before another method gets a 405. */
  readonly checkParameter?: (parameter: string) => void;
}

/** Whether a request may enter an area, and the window that the rate limit headers of its reply show. */
export interface Admission {
  readonly window?: WindowState;
  /** Thrown instead of a reply. */
  readonly error?: unknown;
  /** Whether the request is carried out before `error` is thrown. */
  readonly isHandled?: boolean;
}

/** The paths that begin with `prefix`, known or not, and who may send requests there. */
export interface Area {
  readonly prefix: string;
  admit(incoming: IncomingMessage): Promise<Admission>;
}

/** What a router is made of. */
export interface RouterOptions {
  readonly areas: readonly Area[];
  readonly routes: readonly Route[];
  /** The store's time in ms since the epoch. */
  readonly now: () => number;
  /** Returns the id of the store, which every reply has. */
  readonly storeId: () => string;
  /** Called with an unexpected error; the client gets a 500 or 503. */
  readonly onFault: (error: unknown) => void;
}

/**
 * Creates the handler of every request: first the area decides whether it is admitted, then the Host
 * header, the path and the method are checked, and the rest by the route's handler (store.md, Answers).
 */
export function createRouter({
  areas,
  routes,
  now,
  storeId,
  onFault,
}: RouterOptions): RequestHandler {
  const patterns = routes.map((route) => ({ route, pattern: pathPattern(route.path) }));
  const headersOf = replyHeaders(now, storeId);

  const answer = async (
    request: Omit<RoutedRequest, "parameter">,
    path: string,
  ): Promise<RouteReply> => {
    checkHost(request.incoming);
    for (const { route, pattern } of patterns) {
      const match = pattern.exec(path);
      if (match === null) continue;
      const { 1: parameter = "" } = match;
      return handlerOf(route, request.incoming.method, parameter)({ ...request, parameter });
    }
    throw notFound("there is nothing at this path");
  };
  const reportUnexpected = (error: unknown): unknown => toApiError(error, onFault);
  return async (incoming, outgoing) => {
    const path = requestPath(incoming.url ?? "");
    let window: WindowState | undefined;
    let reply: RouteReply;
    try {
      const admission = await areas.find(({ prefix }) => isBelow(path, prefix))?.admit(incoming);
      window = admission?.window;
      if (admission?.isHandled === true)
        await answer({ incoming, outgoing }, path).catch(reportUnexpected);
      if (admission?.error !== undefined) throw admission.error;
      reply = await answer({ incoming, outgoing }, path);
    } catch (error) {
      reply = toApiError(error, onFault);
    }
    const { status, body, stream } = reply;
    if (outgoing.destroyed) return;
    if (!incoming.complete) discardUnread(incoming, outgoing);
    const headers = headersOf(window, stream ? undefined : body, reply.headers);
    notesOf(incoming).reply = { status, headers, body };
    outgoing.writeHead(status, headers);
    if (stream === undefined || incoming.method === "HEAD") outgoing.end(body);
    else stream(outgoing);
  };
}

function pathPattern(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(".", String.raw`\.`).replace(/\{\w+\}/, "([^/]+)")}$`);
}

function handlerOf(route: Route, method: string | undefined, parameter: string): RouteHandler {
  const handler = method === "POST" ? route.POST : isRead(method) ? route.GET : undefined;
  if (handler !== undefined) return handler;
  route.checkParameter?.(parameter);
  const allowed = [route.GET && "GET, HEAD", route.POST && "POST"].filter(Boolean).join(", ");
  throw new ApiError(405, "method_not_allowed", `the methods allowed here are ${allowed}`, {
    Allow: allowed,
  });
}

function isRead(method: string | undefined): boolean {
  return method === "GET" || method === "HEAD";
}
