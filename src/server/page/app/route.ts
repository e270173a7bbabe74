import { useEffect, useState } from "preact/hooks";

/** Returns the view that a fragment such as `#requests` or `#requests/ID` names, and the id of the opened request, if any. */
export function readRoute(fragment: string) {
  const [view = "", id = ""] = fragment.slice(1).split("/");
  return { view, id };
}

/** Returns the fragment of one request. */
export function requestFragment(id: string): string {
  return `#requests/${id}`;
}

/** Returns the current route; `onToken` is called with the token of a link that was opened meanwhile. */
export function useRoute(onToken: (token: string) => void) {
  const [route, setRoute] = useState(() => readRoute(location.hash));
  useEffect(() => {
    const onChange = (): void => {
      const token = takeToken();
      if (token !== undefined) return onToken(token);
      setRoute((before) => {
        const next = readRoute(location.hash);
        if (next.view !== before.view) scrollTo(0, 0);
        return next;
      });
    };
    addEventListener("hashchange", onChange);
    return () => removeEventListener("hashchange", onChange);
  }, []);
  return route;
}

/** Returns the token of a link, if there is one, and removes it from the address. */
export function takeToken(): string | undefined {
  const [token] = /(?<=^#)[\w-]{32}$/.exec(location.hash) ?? [];
  if (token !== undefined) history.replaceState(null, "", location.pathname);
  return token;
}
