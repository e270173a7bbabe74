import { options, render } from "preact";
import { useEffect, useState } from "preact/hooks";
import { AnimalsView } from "./animals/animals.tsx";
import { Announcer } from "./announcer.tsx";
import { answeringId, connect, connection, info, storeId } from "./connection.ts";
import { FaultsView } from "./faults/faults.tsx";
import { LimitsView } from "./limits.tsx";
import { Empty, Paw } from "./parts.tsx";
import { RequestsView } from "./requests/requests.tsx";
import { useValue } from "./value.ts";

const views = [
  { name: "animals", title: "Animals", View: AnimalsView },
  { name: "requests", title: "Requests", View: RequestsView },
  { name: "limits", title: "Limits", View: LimitsView },
  { name: "faults", title: "Faults", View: FaultsView },
] as const;

function App() {
  const current = useView();
  const state = useValue(connection);
  const isKnown = useValue(info) !== undefined;
  return (
    <>
      <a class="skip" href="#main" onClick={focusMain}>
        Skip to the content
      </a>
      <Header />
      {state !== "locked" && (
        <nav aria-label="Views">
          {views.map(({ name, title }) => (
            <a
              key={name}
              href={`#${name}`}
              aria-current={name === current.name ? "page" : undefined}
            >
              {title}
            </a>
          ))}
        </nav>
      )}
      <main id="main" tabIndex={-1}>
        <Trouble />
        {state === "locked" ? <Locked /> : isKnown && <current.View />}
      </main>
      <Announcer />
    </>
  );
}

function Header() {
  const state = useValue(connection);
  const store = useValue(info);
  return (
    <header class="top">
      <Paw />
      <h1>
        pets <span>store</span>
      </h1>
      <p class="place">
        {store && (
          <>
            <code>{store.baseUrl}</code> <span class="data">{placeText(store.data)}</span>
          </>
        )}
      </p>
      <p class={`state ${state}`} role="status">
        {stateTexts[state]}
      </p>
    </header>
  );
}

const stateTexts = {
  connecting: "connecting",
  live: "live",
  lost: "reconnecting",
  locked: "no access",
  replaced: "another store",
} as const;

function placeText(data: string): string {
  return data === "memory" ? "in memory" : data;
}

/** What keeps the page from being current. */
function Trouble() {
  const state = useValue(connection);
  if (state === "lost")
    return (
      <p class="banner" role="alert">
        The store does not answer; this is its last known state. Is it running? Start it with{" "}
        <code>pets serve</code>: the page connects again by itself.
      </p>
    );
  if (state === "replaced")
    return (
      <p class="banner" role="alert">
        Another store answers at this address now, or it was reset. What you see is the one before.{" "}
        <button type="button" class="primary" onClick={() => location.reload()}>
          Show the new one
        </button>
      </p>
    );
  return null;
}

function Locked() {
  const [before, now] = [useValue(storeId), useValue(answeringId)];
  const isOther = before !== "" && before !== now;
  return (
    <Empty title={isOther ? "Another store runs at this address now" : "This page needs a link"}>
      <p>
        {isOther ? "It needs a link of its own." : "Each link opens the page in one browser, once."}{" "}
        Run <code>pets store page</code> in a terminal, and open the link that it prints.
      </p>
    </Empty>
  );
}

function focusMain(event: MouseEvent): void {
  event.preventDefault();
  document.querySelector<HTMLElement>("#main")?.focus();
}

function viewOfFragment() {
  return views.find(({ name }) => location.hash === `#${name}`) ?? views[0];
}

/** Returns the view that the fragment names. */
function useView() {
  const [view, setView] = useState(viewOfFragment);
  useEffect(() => {
    const onChange = (): void => {
      setView(viewOfFragment);
      scrollTo(0, 0);
    };
    addEventListener("hashchange", onChange);
    return () => removeEventListener("hashchange", onChange);
  }, []);
  return view;
}

/** Returns the token of a link, if there is one, and removes it from the address. */
function takeToken(): string | undefined {
  const [token] = /(?<=^#)[\w-]{32}$/.exec(location.hash) ?? [];
  if (token !== undefined) history.replaceState(null, "", location.pathname);
  return token;
}

/** The interval at which the page is drawn without frames, in a hidden window, in ms. */
const unseenMs = 250;

// The page is drawn once a frame, however many requests arrive.
options.debounceRendering = (draw) => {
  requestAnimationFrame(draw);
  setTimeout(draw, unseenMs);
};
void connect(takeToken());
const root = document.querySelector("#app");
if (root !== null) render(<App />, root);
