import { pageKeyId } from "../../inspect/types.ts";

/** Returns the meaning of a value of the key filter. */
export function keyTitle(key: string): string {
  if (key === "-") return "no valid key";
  return key === pageKeyId ? "this page" : `key ${key}`;
}
