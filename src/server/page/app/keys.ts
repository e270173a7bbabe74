import { pageKeyId } from "../../request-log/types.ts";
import { usePolled } from "./hooks.ts";

/** The plan of each key by its id, as far as the page knows them. */
export type Plans = ReadonlyMap<string, string>;

/** Returns the plans of all keys, also of those that are made while the view is shown. */
export function usePlans(): Plans {
  const { value } = usePolled<{ keys: { id: string; plan: string }[] }>("/_store/limits", 5_000);
  return new Map(value?.keys.map(({ id, plan }) => [id, plan]));
}

/** Returns the name of a key by its plan and id; null stands for none that is valid. */
export function keyTitle(keyId: string | null, plans: Plans): string {
  if (keyId === null) return "no valid key";
  return keyId === pageKeyId ? "page" : `${plans.get(keyId) ?? "key"} ${keyId}`;
}
