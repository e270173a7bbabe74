import { type Context, type Handler, Hono } from "hono";
import { getRemovedAt } from "../../core/api.ts";
import { parseInt64 } from "../../core/int64.ts";
import type { FaultInjector } from "../faults/index.ts";
import { addLabRoutes } from "../faults/routes.ts";
import { checkHost } from "../http/request-intake.ts";
import { openApi } from "../openapi/document.ts";
import { authMiddleware, type GuardParts } from "./auth.ts";
import { ApiError, toApiError } from "./errors.ts";
import { healthCheck } from "./health.ts";
import { petHandlers } from "./pets.ts";
import { makeReplies, type Replies, type StoreEnv } from "./responses.ts";

/** What the routes are made of, and who is told of an error that nobody expected. */
export interface RouteParts extends GuardParts {
  readonly onFault: (error: unknown) => void;
  readonly lab?: FaultInjector;
}

/**
 * What every reply of `GET /pets/{petId}` tells of its end: RFC 8594 (Sunset), RFC 9745
 * (Deprecation, in Unix seconds) and RFC 5829 (the successor).
 */
const deprecation = {
  Sunset: new Date(getRemovedAt).toUTCString(),
  Deprecation: "@1764892800",
  Link: '</v1/pets>; rel="successor-version"',
};

/** The service (api.md; store.md, Answers). */
export function makeRoutes(parts: RouteParts): Hono<StoreEnv> {
  const { storage, now } = parts;
  const replies = makeReplies(now);
  const { list, add } = petHandlers(storage);
  const app = new Hono<StoreEnv>();
  app.onError((error, context) => replies.problem(context, toApiError(error, parts)));
  app.notFound((context) => replies.problem(context, notFound("there is nothing at this path")));

  app.use("/v1/*", authMiddleware(parts));
  app.use(async (context, next) => {
    checkHost(context.env.incoming);
    await next();
  });
  const checkHealth = healthCheck(storage);
  app.get("/healthz", async (context) => {
    await checkHealth();
    return replies.json(context, 200, '{"status":"ok"}');
  });
  app.get("/openapi.json", (context) => replies.json(context, 200, openApi));
  app.get("/v1/pets", async (context) => replies.json(context, 200, await list(context.req.url)));
  app.post("/v1/pets", async (context) => {
    const { incoming, outgoing } = context.env;
    return replies.json(context, 201, await add(incoming, outgoing));
  });
  app.get("/v1/pets/:id", getOne(parts, replies));

  app.all("/healthz", methodNotAllowed("GET, HEAD"));
  app.all("/openapi.json", methodNotAllowed("GET, HEAD"));
  app.all("/v1/pets", methodNotAllowed("GET, HEAD, POST"));
  app.all("/v1/pets/:id", (context, next) => {
    petId(context);
    return methodNotAllowed("GET, HEAD")(context, next);
  });
  if (parts.lab !== undefined) addLabRoutes(app, parts.lab, replies);
  return app;
}

function getOne({ storage, now }: GuardParts, replies: Replies): Handler<StoreEnv> {
  const find = async (context: Context<StoreEnv>): Promise<string> => {
    const id = petId(context);
    if (now() >= getRemovedAt)
      throw new ApiError(410, "gone", "GET /pets/{petId} was removed; use GET /pets with status");
    const pet = await storage.get(id);
    if (pet === undefined) throw notFound(`there is no animal with the id ${id}`);
    return pet;
  };
  return async (context) => {
    try {
      return replies.json(context, 200, await find(context), deprecation);
    } catch (error) {
      if (error instanceof ApiError) return replies.problem(context, error, deprecation);
      throw error;
    }
  };
}

function petId(context: Context<StoreEnv>): bigint {
  const id = parseInt64(context.req.param("id") ?? "");
  if (id === undefined)
    throw notFound("there is no such animal: petId must be an int64, in digits");
  return id;
}

function notFound(message: string): ApiError {
  return new ApiError(404, "not_found", message);
}

/** Answers 405 and tells the `methods` that a path takes, as in `GET, HEAD`. */
export function methodNotAllowed(methods: string): Handler<StoreEnv> {
  return () => {
    throw new ApiError(405, "method_not_allowed", `the methods allowed here are ${methods}`, {
      Allow: methods,
    });
  };
}
