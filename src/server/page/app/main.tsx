import { options, render } from "preact";
import { shellCommand } from "../../../core/shell-quote.ts";
import { AnimalsView } from "./animals.tsx";
import { Announcer } from "./announcer.tsx";
import { answeringId } from "./api.ts";
import { connect, connection, info, redeem, storeId } from "./connection.ts";
import { FaultsView } from "./faults.tsx";
import { LimitsView } from "./limits.tsx";
import { Empty, Paw } from "./parts.tsx";
import { RequestsView } from "./requests.tsx";
import { takeToken, useRoute } from "./route.ts";

const views = [
  { name: "animals", title: "Animals", View: AnimalsView },
  { name: "requests", title: "Requests", View: RequestsView },
  { name: "limits", title: "Limits", View: LimitsView },
  { name: "faults", title: "Faults", View: FaultsView },
] as const;

function App() {
  const { view, id } = useRoute((token) => void redeem(token).then(() => location.reload()));
  const current = views.find(({ name }) => name === view) ?? views[0];
  const state = connection.value;
  const isKnown = info.value !== undefined;
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
        {state === "locked" ? <Locked /> : isKnown && <current.View id={id} />}
      </main>
      <Announcer />
    </>
  );
}

function Header() {
  const state = connection.value;
  const store = info.value;
  return (
    <header class="row">
      <Paw />
      <h1>
        pets <span>store</span>
      </h1>
      <p class="place">
        {store && (
          <>
            <code>{store.baseUrl}</code> {store.data === "memory" ? "in memory" : store.data}
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

/** What keeps the page from being current. */
function Trouble() {
  const state = connection.value;
  if (state === "lost")
    return (
      <p class="banner" role="alert">
        The store is unreachable. This is its last known state. Is it running? Start it with{" "}
        <code>pets serve</code>; the page reconnects automatically.
      </p>
    );
  if (state === "replaced")
    return (
      <p class="banner" role="alert">
        Another store runs at this address now, or it was reset. This data is from the previous
        store.{" "}
        <button type="button" class="primary" onClick={() => location.reload()}>
          Show the new store
        </button>
      </p>
    );
  return null;
}

function Locked() {
  const before = storeId.value;
  const isOther = before !== answeringId.value && before !== "";
  const words = ["pets", "store", "page", "--base-url", `${location.origin}/v1`];
  return (
    <Empty title={isOther ? "Another store runs at this address now" : "This page needs a link"}>
      <p>
        {isOther
          ? "It needs a new link."
          : "Each link works once, and opens the page in one browser."}{" "}
        Run <code>{shellCommand(words, "linux")}</code> in a terminal and open the link that it
        prints.
      </p>
    </Empty>
  );
}

function focusMain(event: MouseEvent): void {
  event.preventDefault();
  document.querySelector<HTMLElement>("#main")?.focus();
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
