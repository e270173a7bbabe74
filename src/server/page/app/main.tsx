import { options, render } from "preact";
import { shellCommand } from "../../../core/shell-quote.ts";
import { AnimalsView } from "./animals.tsx";
import { answeringId } from "./api.ts";
import { connect, connection, info, storeId } from "./connection.ts";
import { FaultsView } from "./faults.tsx";
import { LimitsView } from "./limits.tsx";
import { Announcer, Empty, Paw } from "./parts.tsx";
import { RequestsView } from "./requests.tsx";
import { route, takeToken } from "./route.ts";

const views = [
  { name: "animals", title: "Animals", View: AnimalsView },
  { name: "requests", title: "Requests", View: RequestsView },
  { name: "limits", title: "Limits", View: LimitsView },
  { name: "faults", title: "Faults", View: FaultsView },
] as const;

function App() {
  const current = views.find(({ name }) => name === route.value.view) ?? views[0];
  const isLocked = connection.value === "locked";
  return (
    <>
      <Header />
      {!isLocked && (
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
      <main>
        <Trouble />
        {isLocked ? <Locked /> : info.value && <current.View />}
      </main>
      <Announcer />
    </>
  );
}

const stateTexts = {
  connecting: "connecting",
  live: "live",
  lost: "reconnecting",
  locked: "no access",
  replaced: "another store",
} as const;

function Header() {
  const store = info.value;
  return (
    <header class="row">
      <Paw />
      <h1>
        pets <span>store</span>
      </h1>
      {store && (
        <p class="place">
          <code>{store.baseUrl}</code> {store.data === "memory" ? "in memory" : store.data}
        </p>
      )}
      <p class={`state ${connection.value}`} role="status">
        {stateTexts[connection.value]}
      </p>
    </header>
  );
}

/** What keeps the page from being current. */
function Trouble() {
  if (connection.value !== "lost" && connection.value !== "replaced") return null;
  return (
    <p class="banner" role="alert">
      {connection.value === "lost" ? (
        <>
          The store is unreachable. This is its last known state. Is it running? Start it with{" "}
          <code>pets serve</code>; the page reconnects automatically.
        </>
      ) : (
        <>
          Another store runs at this address now, or it was reset. This data is from the previous
          store.{" "}
          <button class="primary" onClick={() => location.reload()}>
            Show the new store
          </button>
        </>
      )}
    </p>
  );
}

function Locked() {
  const isOther = storeId.value !== answeringId.value && storeId.value !== "";
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

/** The interval at which the page is rendered without frames, in a hidden window, in ms. */
const unseenMs = 250;

// The page is rendered once a frame, however many requests arrive.
options.debounceRendering = (draw) => {
  requestAnimationFrame(draw);
  setTimeout(draw, unseenMs);
};
void connect(takeToken());
const root = document.querySelector("#app");
if (root !== null) render(<App />, root);
