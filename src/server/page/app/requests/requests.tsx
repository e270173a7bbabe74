import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { formatCount, plural } from "../../../../core/format.ts";
import { feed } from "../connection.ts";
import { useInterval } from "../hooks.ts";
import { usePlans } from "../keys.ts";
import { requestFragment } from "../route.ts";
import { currentRate, currentSecond, type Feed } from "./feed.ts";
import { FilterBar, noFilters } from "./filters.tsx";
import { RateChart } from "./rate-chart.tsx";
import { RequestDetail } from "./request-detail.tsx";
import { RequestList } from "./request-list.tsx";

/** The requests as they arrive, filtered, and one of them opened: the one with this id, if any. */
export function RequestsView({ id }: { id: string }) {
  const live = feed.value;
  const [, render] = useState({});
  useInterval(1_000, () => render({}));
  const plans = usePlans();
  const [filters, setFilters] = useState(noFilters);
  const [isPaused, setPaused] = useState(false);
  const isOpen = id !== "";
  const isHeld = isPaused || isOpen;
  const shown = useHeld(live, isHeld);
  const waiting = live.seen - shown.seen;
  const resume = (): void => {
    setPaused(false);
    location.hash = "requests";
  };
  useEscape(isOpen ? close : resume);
  return (
    <section aria-labelledby="requests-title">
      <h2 id="requests-title">
        Requests <span class="count">{rateText(live)}</span>
      </h2>
      <RateChart feed={live} />
      <FilterBar rows={shown.rows} filters={filters} plans={plans} onChange={setFilters}>
        <button
          type="button"
          class={isHeld ? "primary" : ""}
          onClick={isHeld ? resume : () => setPaused(true)}
        >
          {isHeld ? `Resume${waiting > 0 ? ` (${formatCount(waiting)} new)` : ""}` : "Pause"}
        </button>
      </FilterBar>
      {live.missed > 0 && (
        <p class="note">
          {plural(live.missed, "request")} missed in this list. The rate and the chart include them.
        </p>
      )}
      <div class={isOpen ? "split is-open" : "split"}>
        <RequestList
          rows={shown.rows}
          filters={filters}
          plans={plans}
          opened={id}
          onOpen={(opened) => (location.hash = requestFragment(opened))}
        />
        {isOpen && <RequestDetail id={id} plans={plans} onClose={close} />}
      </div>
    </section>
  );
}

function close(): void {
  document.querySelector<HTMLElement>(".request[aria-expanded=true]")?.focus();
  location.hash = "requests";
}

/** Returns `live`, or while the list is held what it was before; what came from an earlier store is not held. */
function useHeld(live: Feed, isHeld: boolean): Feed {
  const held = useRef<Feed | undefined>(undefined);
  if (!isHeld || live.seen < (held.current?.seen ?? 0)) held.current = undefined;
  else if (held.current === undefined || held.current.rows.length === 0) held.current = live;
  return held.current ?? live;
}

/** Calls `action` when Escape is pressed anywhere. */
function useEscape(action: () => void): void {
  // After the frame it would be too late for a key pressed at once.
  useLayoutEffect(() => {
    const onKey = ({ key }: KeyboardEvent): void => {
      if (key === "Escape") action();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  });
}

function rateText(live: Feed): string {
  const rate = currentRate(live, currentSecond(live));
  if (rate === 0) return "";
  return `${formatCount(rate < 10 ? Math.round(rate * 10) / 10 : Math.round(rate))}/s`;
}
