import { type ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { formatCount, plural, formatTimeOfDay } from "../../../core/format.ts";
import {
  type Outcome,
  outcomeOf,
  type RequestRow,
  type SecondCounts,
} from "../../request-log/types.ts";
import { feed } from "./connection.ts";
import {
  currentRate,
  currentSecond,
  type Feed,
  chartSeconds,
  outcomes,
  totalCount,
} from "./feed.ts";
import { formatMs } from "./format.ts";
import { useInterval } from "./hooks.ts";
import { usePlans, keyTitle, type Plans } from "./keys.ts";
import { formTexts, Empty, Safe, Status, StoreCommand } from "./parts.tsx";
import { RequestDetail } from "./request-detail.tsx";
import { requestFragment } from "./route.ts";

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
      <RateChart live={live} />
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

/** Which requests are shown; an empty text shows all. */
export const noFilters = {
  /** An Outcome. */
  outcome: "",
  /** The id of a key, `page`, or `-` for requests without a valid key. */
  key: "",
  /** Part of a method and path, in any case. */
  path: "",
};
export type Filters = Readonly<typeof noFilters>;

function keyChoice({ keyId }: RequestRow): string {
  return keyId ?? "-";
}

/** Returns whether `entry` is shown. */
export function matches(entry: RequestRow, { outcome, key, path }: Filters): boolean {
  if (outcome !== "" && outcomeOf(entry) !== outcome) return false;
  if (key !== "" && keyChoice(entry) !== key) return false;
  return path === "" || `${entry.method} ${entry.path}`.toLowerCase().includes(path.toLowerCase());
}

const outcomeChoices: readonly (readonly [Outcome | "", string])[] = [
  ["", "All statuses"],
  ["ok", "2xx"],
  ["limited", "429"],
  ["client", "other 4xx"],
  ["server", "5xx"],
  ["none", "no response"],
];

interface BarProps {
  readonly rows: readonly RequestRow[];
  readonly filters: Filters;
  readonly plans: Plans;
  readonly onChange: (filters: Filters) => void;
  readonly children: ComponentChildren;
}

/** The filters of the requests, followed by other controls. */
function FilterBar({ rows, filters, plans, onChange, children }: BarProps) {
  const keys = [...new Set([...rows.map(keyChoice), ...(filters.key ? [filters.key] : [])])].sort();
  const keyTitles = keys.map((key) => [key, keyTitle(key === "-" ? null : key, plans)] as const);
  const choices = [
    { name: "outcome", title: "Status", options: outcomeChoices },
    { name: "key", title: "Key", options: [["", "All keys"], ...keyTitles] },
  ] as const;
  return (
    <form
      class="filters"
      aria-label="Filters"
      onSubmit={(event) => event.preventDefault()}
      onInput={({ currentTarget }) => onChange({ ...noFilters, ...formTexts(currentTarget) })}
    >
      {choices.map(({ name, title, options }) => (
        <select key={name} name={name} aria-label={title} value={filters[name]}>
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
        value={filters.path}
      />
      {children}
    </form>
  );
}

/** How many rows are shown until more are requested. */
const rowsAtOnce = 100;

interface ListProps {
  readonly rows: readonly RequestRow[];
  readonly filters: Filters;
  readonly plans: Plans;
  /** The id of the opened request, or an empty text. */
  readonly opened: string;
  readonly onOpen: (id: string) => void;
}

/** The requests that the filters show, newest first. */
function RequestList({ rows, filters, plans, opened, onOpen }: ListProps) {
  const [limit, setLimit] = useState(rowsAtOnce);
  const shown = rows.filter((row) => matches(row, filters));
  if (shown.length === 0)
    return Object.values(filters).some(Boolean) ? (
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
            <button
              type="button"
              class="row request"
              aria-expanded={row.id === opened}
              onClick={() => onOpen(row.id)}
            >
              <Row row={row} keyName={keyTitle(row.keyId, plans)} />
            </button>
          </li>
        ))}
      </ul>
      {shown.length > limit && (
        <button type="button" class="more" onClick={() => setLimit(limit + rowsAtOnce)}>
          Show older ({formatCount(shown.length - limit)})
        </button>
      )}
    </div>
  );
}

function Row({ row, keyName }: { row: RequestRow; keyName: string }) {
  const { status, method, path, time, durationMs, fault, early } = row;
  return (
    <>
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
      <span class="key">{keyName}</span>
      <span class="ms">{formatMs(durationMs)}</span>
      <time class="time" dateTime={time}>
        {formatTimeOfDay(Date.parse(time))}
      </time>
    </>
  );
}

const [height, barWidth] = [44, 6];

/** The requests of the last minute, one bar per second, coloured by how they ended. */
function RateChart({ live }: { live: Feed }) {
  const { seconds } = live;
  const now = currentSecond(live);
  const bars = Array.from({ length: chartSeconds }, (_, at) => now - chartSeconds + 1 + at);
  const highest = Math.max(1, ...[...seconds.values()].map(totalCount));
  return (
    <figure aria-hidden="true">
      <svg
        class="chart"
        viewBox={`0 0 ${chartSeconds * barWidth} ${height}`}
        preserveAspectRatio="none"
      >
        {bars.map((second, at) => (
          <Bar
            key={second}
            x={at * barWidth}
            counts={seconds.get(second) ?? {}}
            highest={highest}
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

function Bar({ x, counts, highest }: { x: number; counts: SecondCounts; highest: number }) {
  let bottom = height;
  return (
    <>
      <rect class="rest" x={x} y={height - 1} width={barWidth - 1} height={1} />
      {outcomes.map((outcome) => {
        const part = ((counts[outcome] ?? 0) / highest) * height;
        bottom -= part;
        return part === 0 ? null : (
          <rect key={outcome} class={outcome} x={x} y={bottom} width={barWidth - 1} height={part} />
        );
      })}
    </>
  );
}
