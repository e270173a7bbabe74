import type { Route } from "./router.ts";
import { forbidden, jsonResponse, jsonText } from "./store-area.ts";

/** What a store can be asked to do, beside what its lab can. */
export interface StoreControl {
  /** Stops the store, if it runs in the background, and returns the id of its process. */
  readonly stop?: (() => { readonly pid: number }) | undefined;
  /** Returns the verdict on its clients as JSON, if they are judged. */
  readonly check?: (() => string) | undefined;
}

/** Returns the routes of the commands `pets store stop` and `pets store check`. */
export function controlRoutes({ stop, check }: StoreControl): readonly Route[] {
  return [
    {
      path: "/_store/stop",
      POST: () => {
        if (stop === undefined)
          throw forbidden("the store was not started with --detach: stop it where it runs");
        return jsonResponse(stop());
      },
    },
    {
      path: "/_store/check",
      GET: () => {
        if (check === undefined) throw forbidden("the store was not started with --check");
        return jsonText(check());
      },
    },
  ];
}
