import { useState } from "preact/hooks";
import type { RequestEntry } from "../../../inspect/types.ts";
import { feed } from "../connection.ts";
import { currentRate, type Feed } from "./feed.ts";
import { FilterBar } from "./filter-bar.tsx";
import { noFilters } from "./filters.ts";
import { formatCount, plural } from "../../../../core/format.ts";
import { RateChart } from "./rate-chart.tsx";
import { RequestDetail } from "./request-detail.tsx";
import { RequestList } from "./request-list.tsx";
import { useTick, useValue } from "../value.ts";

/** The requests as they arrive, filtered, with one of them open. */
export function RequestsView() {
  const live = useValue(feed);
  useTick(1_000);
  const [filters, setFilters] = useState(noFilters);
  const [held, setHeld] = useState<Feed>();
  const [opened, setOpened] = useState<RequestEntry>();
  const shown = held ?? live;
  const open = (entry: RequestEntry): void => {
    setHeld(shown);
    setOpened(entry);
  };
  const close = (): void => {
    document.querySelector<HTMLElement>(".request[aria-expanded=true]")?.focus();
    setOpened(undefined);
  };
  const resume = (): void => {
    setHeld(undefined);
    setOpened(undefined);
  };
  return (
    <section aria-labelledby="requests-title">
      <h2 id="requests-title">
        Requests <span class="count">{rateText(live)}</span>
      </h2>
      <RateChart feed={live} />
      <FilterBar entries={shown.entries} filters={filters} onChange={setFilters}>
        <HoldButton live={live} held={held} onHold={() => setHeld(live)} onResume={resume} />
      </FilterBar>
      <Gap missed={live.missed} />
      <div
        class={opened === undefined ? "split" : "split is-open"}
        // Handled here, because the row that opened the detail keeps the focus until that is drawn.
        onKeyDown={({ key }) => key === "Escape" && close()}
      >
        <RequestList shown={shown} filters={filters} opened={opened} onOpen={open} />
        {opened !== undefined && <RequestDetail entry={opened} onClose={close} />}
      </div>
    </section>
  );
}

function rateText(live: Feed): string {
  const rate = currentRate(live, Math.floor(Date.now() / 1000));
  return rate === 0
    ? ""
    : `${formatCount(rate < 10 ? Math.round(rate * 10) / 10 : Math.round(rate))}/s`;
}

function HoldButton({
  live,
  held,
  onHold,
  onResume,
}: {
  readonly live: Feed;
  readonly held: Feed | undefined;
  readonly onHold: () => void;
  readonly onResume: () => void;
}) {
  const waiting = held === undefined ? 0 : live.seen - held.seen;
  return held === undefined ? (
    <button type="button" class="quiet" onClick={onHold} disabled={live.entries.length === 0}>
      Hold
    </button>
  ) : (
    <button type="button" class="primary" onClick={onResume}>
      Follow{waiting > 0 && ` (${formatCount(waiting)} new)`}
    </button>
  );
}

function Gap({ missed }: { readonly missed: number | null }) {
  if (missed === 0) return null;
  return (
    <p class="note gap">
      {missed === null ? "Some requests" : plural(missed, "request")} could not be shown: they came
      too fast, or while the page was not connected.
    </p>
  );
}
