import { pageKeyId } from "../../request-log/types.ts";
import { getJson } from "./api.ts";
import { makeValue } from "./value.ts";

/** The plan of each key by its id, as far as the page knows them. */
export const plans = makeValue<ReadonlyMap<string, string>>(new Map());

/** How long keys that are not known yet are collected before their plans are fetched, in ms. */
const pauseMs = 500;
let isWaiting = false;

/** Fetches the plans soon if one of these keys is not known yet. */
export function lookUpPlans(keyIds: readonly (string | null)[]): void {
  const known = plans.get();
  const isKnown = (id: string | null): boolean => id === null || id === pageKeyId || known.has(id);
  if (isWaiting || keyIds.every(isKnown)) return;
  isWaiting = true;
  setTimeout(() => {
    isWaiting = false;
    getJson("/_store/limits").then(
      (limits) => setPlans(Object(limits).keys),
      () => {},
    );
  }, pauseMs);
}

/** Sets the plans of all keys. */
export function setPlans(keys: readonly { readonly id: string; readonly plan: string }[]): void {
  plans.set(new Map(keys.map(({ id, plan }) => [id, plan])));
}

/** Returns the name of a key by its plan and id; null stands for none that is valid. */
export function keyTitle(keyId: string | null, known: ReadonlyMap<string, string>): string {
  if (keyId === null) return "no valid key";
  return keyId === pageKeyId ? "page" : `${known.get(keyId) ?? "key"} ${keyId}`;
}
