import type { IncomingMessage } from "node:http";
import { forcedSpelling, parseForced } from "./fault-spec.ts";
import { bearerKey } from "../routes/auth.ts";
import type { PlannedFault } from "./request.ts";
import { badRequest } from "../routes/errors.ts";
import type { Storage } from "../storage/storage.ts";

/** `planned`, or what the X-Pets-Fault of a request asks for in its place, where its key is valid on `storage`. */
export async function applyFaultHeader(
  planned: PlannedFault,
  incoming: IncomingMessage,
  storage: Storage,
): Promise<PlannedFault> {
  if (!(await hasKey(storage, incoming))) return planned;
  const forced = parseForced(String(incoming.headers["x-pets-fault"]));
  if (forced === undefined)
    return {
      ...planned,
      fault: undefined,
      problem: badRequest(`X-Pets-Fault must be ${forcedSpelling}`),
    };
  return "fault" in forced
    ? { ...planned, fault: forced.fault }
    : { ...planned, fault: undefined, delayMs: planned.delayMs + forced.delayMs };
}

async function hasKey(storage: Storage, { rawHeaders }: IncomingMessage): Promise<boolean> {
  try {
    return (await bearerKey(storage, rawHeaders)) !== undefined;
  } catch {
    // The store itself asks again, and tells of it.
    return false;
  }
}
