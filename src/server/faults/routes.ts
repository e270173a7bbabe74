import type { Hono } from "hono";
import { parseExact } from "../../core/json/parse.ts";
import { readBody } from "../http/body.ts";
import { bearerKey, unauthorized } from "../routes/auth.ts";
import type { FaultInjector } from "./index.ts";
import { isLocalRequest } from "./request.ts";
import { methodNotAllowed } from "../routes/routes.ts";
import { badRequest } from "../routes/errors.ts";
import type { Replies, StoreEnv } from "../routes/responses.ts";

const utf8 = new TextDecoder("utf-8", { fatal: true });

/**
 * Adds what is below `/_store`. To anyone who does not come from this machine, or to another name,
 * there is nothing at these paths; no limit counts them (store.md, Faults on demand).
 */
export function addLabRoutes(app: Hono<StoreEnv>, lab: FaultInjector, replies: Replies): void {
  app.use("/_store/*", async (context, next) => {
    const { incoming } = context.env;
    if (!isLocalRequest(incoming)) return context.notFound();
    const key = await bearerKey(lab.storage, incoming.rawHeaders);
    if (key === undefined) throw unauthorized();
    return next();
  });
  app.get("/_store/state", async (context) =>
    replies.json(context, 200, JSON.stringify(await lab.state())),
  );
  app.post("/_store/reset", async (context) => {
    await lab.reset();
    return replies.json(context, 200, JSON.stringify(await lab.state()));
  });
  app.post("/_store/faults", async (context) => {
    const { incoming, outgoing } = context.env;
    const changes = readObject(await readBody(incoming, outgoing));
    return replies.json(context, 200, JSON.stringify(lab.change(changes)));
  });
  app.all("/_store/state", methodNotAllowed("GET, HEAD"));
  app.all("/_store/reset", methodNotAllowed("POST"));
  app.all("/_store/faults", methodNotAllowed("POST"));
}

function readObject(body: Uint8Array): Readonly<Record<string, unknown>> {
  const value = readJson(body);
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return { ...value };
  throw badRequest('the body must be a JSON object such as {"fault":"429:0.1","latency":"100±50"}');
}

function readJson(body: Uint8Array): unknown {
  try {
    return parseExact(utf8.decode(body));
  } catch {
    return undefined;
  }
}
