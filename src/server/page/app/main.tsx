import { options, render } from "preact";
import { AnimalsView } from "./animals.tsx";
import { answeringId } from "./api.ts";
import { connect, connection, info, stateTexts } from "./connection.ts";
import { FaultsView } from "./faults.tsx";
import { LimitsView } from "./limits.tsx";
import { Announcer, Empty, Safe } from "./parts.tsx";
import { RequestsView } from "./requests.tsx";
import { storeCommand } from "./resend.ts";
import { route, takeToken } from "./route.ts";

const views = [
  ["animals", "Animals", AnimalsView],
  ["requests", "Requests", RequestsView],
  ["limits", "Limits", LimitsView],
  ["faults", "Faults", FaultsView],
] as const;

function App() {
  const [current, , View] = views.find(([name]) => name === route.value.view) ?? views[0];
  const isLocked = connection.value === "locked";
  return (
    <>
      <Header />
      {!isLocked && (
        <nav aria-label="Views">
          {views.map(([name, title]) => (
            <a key={name} href={`#${name}`} aria-current={name === current ? "page" : undefined}>
              {title}
            </a>
          ))}
        </nav>
      )}
      <main>
        <Trouble />
        {isLocked ? <Locked /> : info.value && <View />}
      </main>
      <Announcer />
    </>
  );
}

function Header() {
  return (
    <header class="row">
      <img src={document.querySelector<HTMLLinkElement>("link[rel=icon]")?.href} alt="" />
      <h1>pets store</h1>
      <p class="place grow note">
        <code>{info.value?.baseUrl}</code>{" "}
        {info.value && (
          <>
            data: <Safe text={info.value.data} />
          </>
        )}
      </p>
      <p class={`tag ${connection.value === "live" ? "ok" : "limited"}`} role="status">
        {stateTexts[connection.value]}
      </p>
    </header>
  );
}

function Trouble() {
  if (connection.value === "lost")
    return (
      <p class="alert limited" role="alert">
        The store is unreachable. This is its last known state. Is it running? Start it with{" "}
        <code>pets serve</code>; the page reconnects automatically.
      </p>
    );
  if (connection.value === "replaced")
    return (
      <p class="alert limited" role="alert">
        Another store runs at this address now, or it was reset. This data is from the previous
        store. <button onClick={() => location.reload()}>Show the new store</button>
      </p>
    );
  return null;
}

function Locked() {
  const isOther = info.value !== undefined && info.value.store !== answeringId.value;
  const store = { baseUrl: `${location.origin}/v1`, profile: null };
  return (
    <Empty title={isOther ? "Another store runs at this address now" : "This page needs a link"}>
      <p>
        {isOther
          ? "It needs a new link."
          : "Each link works once, and opens the page in one browser."}{" "}
        Run <code>{storeCommand(["store", "page"], store)}</code> in a terminal and open the link
        that it prints.
      </p>
    </Empty>
  );
}

/** The interval at which the page is rendered without frames, in a hidden window. */
const unseenMs = 250;

// The page is rendered once a frame, however many requests arrive.
options.debounceRendering = (draw) => {
  requestAnimationFrame(draw);
  setTimeout(draw, unseenMs);
};
void connect(takeToken());
const root = document.querySelector("#app");
if (root !== null) render(<App />, root);
