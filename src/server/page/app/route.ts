import { signal } from "@preact/signals";
import { redeem } from "./connection.ts";

/** Returns the view that a fragment such as `#requests` or `#requests/ID` names, and the id of the opened request, if any. */
function readRoute(fragment: string) {
  const [view = "", id = ""] = fragment.slice(1).split("/");
  return { view, id };
}

/** What the address says is shown. */
export const route = signal(readRoute(location.hash));

addEventListener("hashchange", () => {
  const token = takeToken();
  const { view } = route.value;
  if (token === undefined) route.value = readRoute(location.hash);
  else void redeem(token).then(() => location.reload());
  if (route.value.view !== view) scrollTo(0, 0);
});

/** Returns the token of a link, if there is one, and removes it from the address. */
export function takeToken(): string | undefined {
  const [token] = /(?<=^#)[\w-]{32}$/.exec(location.hash) ?? [];
  if (token !== undefined) history.replaceState(null, "", location.pathname);
  return token;
}
