import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { formatCount, formatTimeOfDay, plural } from "../../../core/format.ts";
import { outcomeOf, type RequestRow, type SecondCounts } from "../../request-log/types.ts";
import { feed } from "./connection.ts";
import {
  chartSeconds,
  currentRate,
  currentSecond,
  type Feed,
  outcomes,
  totalCount,
} from "./feed.ts";
import { keyTitle, useInterval, useKeyTitles } from "./hooks.tsx";
import { Empty, formatMs, formTexts, Safe, Status, StoreCommand } from "./parts.tsx";
import { RequestDetail } from "./request-detail.tsx";
import { route } from "./route.ts";

/** The requests as they arrive, filtered, and the one opened that the address names. */
export function RequestsView() {
  const live = feed.value;
  const { id } = route.value;
  const [, render] = useState({});
  useInterval(1_000, () => render({}));
  useKeyTitles();
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
      <RateChart live={live} />
      <FilterBar rows={shown.rows}>
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
        <RequestList rows={shown.rows} opened={id} />
        {isOpen && <RequestDetail id={id} onClose={close} />}
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

/** Which requests are shown; an empty text shows all. */
export const noFilters = {
  /** An Outcome. */
  outcome: "",
  /** The id of a key, `page`, or `-` for requests without a valid key. */
  key: "",
  /** Part of a method and path, in any case. */
  path: "",
};
export const filters = signal(noFilters);

function keyChoice({ keyId }: RequestRow): string {
  return keyId ?? "-";
}

/** Returns whether the filters show `row`. */
function matches(row: RequestRow): boolean {
  const { outcome, key, path } = filters.value;
  if (outcome !== "" && outcomeOf(row) !== outcome) return false;
  if (key !== "" && keyChoice(row) !== key) return false;
  return path === "" || `${row.method} ${row.path}`.toLowerCase().includes(path.toLowerCase());
}

const outcomeChoices = [
  ["", "All statuses"],
  ["ok", "2xx"],
  ["limited", "429"],
  ["client", "other 4xx"],
  ["server", "5xx"],
  ["none", "no response"],
] as const;

/** The filters of the requests, followed by other controls. */
function FilterBar({
  rows,
  children,
}: {
  rows: readonly RequestRow[];
  children: ComponentChildren;
}) {
  const { key: chosen, path } = filters.value;
  const keys = [...new Set([...rows.map(keyChoice), ...(chosen ? [chosen] : [])])];
  const keyTitles = keys.sort().map((key) => [key, keyTitle(key === "-" ? null : key)] as const);
  const choices = [
    { name: "outcome", title: "Status", options: outcomeChoices },
    { name: "key", title: "Key", options: [["", "All keys"], ...keyTitles] },
  ] as const;
  return (
    <form
      class="row filters"
      aria-label="Filters"
      onSubmit={(event) => event.preventDefault()}
      onInput={({ currentTarget }) =>
        (filters.value = { ...noFilters, ...formTexts(currentTarget) })
      }
    >
      {choices.map(({ name, title, options }) => (
        <select key={name} name={name} aria-label={title} value={filters.value[name]}>
          {options.map(([value, text]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
      ))}
      <input
        class="grow"
        type="search"
        name="path"
        aria-label="Method or path"
        placeholder="Method or path"
        value={path}
      />
      {children}
    </form>
  );
}

/** How many rows are shown until more are requested. */
const rowsAtOnce = 100;

/** The requests that the filters show, newest first. */
function RequestList({ rows, opened }: { rows: readonly RequestRow[]; opened: string }) {
  const [limit, setLimit] = useState(rowsAtOnce);
  const shown = rows.filter(matches);
  if (shown.length === 0)
    return Object.values(filters.value).some(Boolean) ? (
      <Empty title="No matching requests" />
    ) : (
      <Empty title="No requests yet">
        <p>
          They appear here when they complete. Send one: <StoreCommand words={["list"]} />
        </p>
      </Empty>
    );
  return (
    <div>
      <ul class="requests">
        {shown.slice(0, limit).map((row) => (
          <li key={row.id}>
            <Row row={row} isOpen={row.id === opened} />
          </li>
        ))}
      </ul>
      {shown.length > limit && (
        <button class="more" onClick={() => setLimit(limit + rowsAtOnce)}>
          Show older ({formatCount(shown.length - limit)})
        </button>
      )}
    </div>
  );
}

function Row({ row, isOpen }: { row: RequestRow; isOpen: boolean }) {
  const { id, status, method, path, time, durationMs, fault, early, keyId } = row;
  const open = (): void => void (location.hash = `requests/${id}`);
  return (
    <button class="row request" aria-expanded={isOpen} onClick={open}>
      <Status status={status} />
      <span class="method">
        <Safe text={method} />
      </span>
      <span class="path">
        <Safe text={path} />
      </span>
      <span class="marks">
        {fault !== null && <span class="mark">fault {fault}</span>}
        {early && <span class="mark early">early</span>}
      </span>
      <span class="key">{keyTitle(keyId)}</span>
      <span class="ms">{formatMs(durationMs)}</span>
      <time class="time" dateTime={time}>
        {formatTimeOfDay(Date.parse(time))}
      </time>
    </button>
  );
}

const [height, barWidth] = [44, 6];

/** The requests of the last minute, one bar per second, coloured by how they ended. */
function RateChart({ live }: { live: Feed }) {
  const first = currentSecond(live) - chartSeconds + 1;
  const totals = [...live.seconds.values()].map((counts) => totalCount(Object.values(counts)));
  const scale = height / Math.max(1, ...totals);
  return (
    <figure aria-hidden="true">
      <svg
        class="chart"
        viewBox={`0 0 ${chartSeconds * barWidth} ${height}`}
        preserveAspectRatio="none"
      >
        {Array.from({ length: chartSeconds }, (_, at) => (
          <Bar
            key={first + at}
            x={at * barWidth}
            counts={live.seconds.get(first + at) ?? {}}
            scale={scale}
          />
        ))}
      </svg>
      <figcaption class="row apart">
        <span>a minute ago</span>
        <span>now</span>
      </figcaption>
    </figure>
  );
}

function Bar({ x, counts, scale }: { x: number; counts: SecondCounts; scale: number }) {
  let bottom = height;
  const bar = { x, width: barWidth - 1 };
  return (
    <>
      <rect class="rest" {...bar} y={height - 1} height={1} />
      {outcomes.map((outcome) => {
        const part = (counts[outcome] ?? 0) * scale;
        bottom -= part;
        return part > 0 && <rect key={outcome} class={outcome} {...bar} y={bottom} height={part} />;
      })}
    </>
  );
}
