import { pageKeyId } from "../../inspect/types.ts";

/** What a value of the key filter stands for. */
export function keyTitle(key: string): string {
  if (key === "-") return "no valid key";
  return key === pageKeyId ? "this page" : `key ${key}`;
}
