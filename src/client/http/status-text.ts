import { STATUS_CODES } from "node:http";

/** Returns the status with its registered name, such as `404 Not Found`. */
export function statusText(status: number): string {
  return `${status} ${STATUS_CODES[status] ?? ""}`.trim();
}
