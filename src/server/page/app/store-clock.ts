import { settings } from "./connection.ts";

let known = { at: Date.now(), time: Date.now() };

/** Notes the store's time, an ISO 8601 text that has just arrived. */
export function noteStoreTime(now: string): void {
  known = { at: Date.now(), time: Date.parse(now) };
}

settings.clock.subscribe(() => {
  const clock = settings.clock.get();
  if (clock !== undefined) noteStoreTime(clock.now);
});

/** Returns the store's time in ms since the epoch. */
export function storeNow(): number {
  return known.time + (settings.clock.get()?.frozen === true ? 0 : Date.now() - known.at);
}
