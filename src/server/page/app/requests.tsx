import { signal } from "@preact/signals";
import { useRef, useState } from "preact/hooks";
import { formatCount, formatTimeOfDay, plural } from "../../../core/format.ts";
import { outcomeOf, type RequestRow } from "../../request-log/types.ts";
import { CheckCard } from "./check.tsx";
import { feed } from "./connection.ts";
import { chartSeconds, countBetween, currentSecond, outcomes, totalCount } from "./feed.ts";
import { keyTitle, useInterval, useKeyTitles } from "./hooks.tsx";
import { Cut, Empty, formatMs, formTexts, Status, StoreCommand } from "./parts.tsx";
import { RequestDetail } from "./request-detail.tsx";
import { route } from "./route.ts";

/** The requests as they arrive, filtered, and the one opened that the address names, which holds the list. */
export function RequestsView() {
  const live = feed.value;
  const { id } = route.value;
  const isOpen = id !== "";
  const [, render] = useState({});
  useInterval(1_000, () => render({}));
  useKeyTitles(live.rows);
  const held = useRef(live);
  // What came from an earlier store is not held.
  const isKept = isOpen && held.current.rows.length > 0 && live.seen >= held.current.seen;
  if (!isKept) held.current = live;
  const { rows, seen } = held.current;
  return (
    <section
      aria-labelledby="requests-title"
      onKeyDown={({ key }) => isOpen && key === "Escape" && close()}
    >
      <h2 id="requests-title">Requests {rateText()}</h2>
      <CheckCard />
      <RateChart live={live} />
      <FilterBar rows={rows} />
      {live.missed > 0 && (
        <p class="note">
          {plural(live.missed, "request")} not listed: too many arrived at once. The rate and the
          chart include them.
        </p>
      )}
      {isOpen && (
        <p class="note">
          Paused while a request is open: {plural(live.seen - seen, "new request")}.
        </p>
      )}
      <div class={isOpen ? "split" : ""}>
        <RequestList rows={rows} opened={id} />
        {isOpen && <RequestDetail key={id} id={id} onClose={close} />}
      </div>
    </section>
  );
}

function close(): void {
  document.querySelector<HTMLElement>(".request[aria-current]")?.focus();
  location.hash = "requests";
}

/** Returns the requests per second over the last 5 whole seconds. */
function rateText(): string {
  const now = currentSecond(feed.value);
  const rate = totalCount(countBetween(feed.value, now - 5, now)) / 5;
  return rate === 0 ? "" : `${formatCount(rate < 10 ? rate : Math.round(rate))}/s`;
}

/** Which requests are shown: all, an Outcome, `early` ones, or a status; a key's id, `page`, or `-` without a valid key; part of a method and path. */
export const noFilters = { outcome: "", key: "", path: "" };
export const filters = signal(noFilters);

const keyChoice = ({ keyId }: RequestRow): string => keyId ?? "-";

function matches(row: RequestRow): boolean {
  const { outcome, key, path } = filters.value;
  const ways = ["", outcomeOf(row), row.early && "early", String(row.status)];
  if (!ways.includes(outcome)) return false;
  if (key !== "" && keyChoice(row) !== key) return false;
  return `${row.method} ${row.path}`.toLowerCase().includes(path.toLowerCase());
}

function FilterBar({ rows }: { rows: readonly RequestRow[] }) {
  const { outcome, key: chosen, path } = filters.value;
  const found = rows.map(({ status }) => String(status ?? ""));
  const statuses = [...new Set([...found, outcome])].filter((each) => /\d/.test(each)).sort();
  const keys = [...new Set([...rows.map(keyChoice), ...(chosen ? [chosen] : [])])];
  const keyTitles = keys.sort().map((key) => [key, keyTitle(key === "-" ? null : key)] as const);
  const choices = [
    {
      name: "outcome",
      title: "Status",
      options: [
        ["", "All statuses"],
        ...outcomes,
        ["early", "before Retry-After elapsed"],
        ...statuses.map((each) => [each, each] as const),
      ],
    },
    { name: "key", title: "Key", options: [["", "All keys"], ...keyTitles] },
  ] as const;
  return (
    <form
      class="row"
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
    </form>
  );
}

const rowsAtOnce = 100;

function RequestList({ rows, opened }: { rows: readonly RequestRow[]; opened: string }) {
  const [limit, setLimit] = useState(rowsAtOnce);
  const shown = rows.filter(matches);
  if (rows.length === 0)
    return (
      <Empty title="No requests yet">
        <p>
          They appear here when they complete. Send one: <StoreCommand words={["list"]} />
        </p>
      </Empty>
    );
  if (shown.length === 0) return <Empty title="No matching requests" />;
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
        <button onClick={() => setLimit(limit + rowsAtOnce)}>
          Show older ({formatCount(shown.length - limit)})
        </button>
      )}
    </div>
  );
}

function Row({ row, isOpen }: { row: RequestRow; isOpen: boolean }) {
  const { id, status, method, path, time, durationMs, fault, early, keyId } = row;
  return (
    <a class="request" href={`#requests/${id}`} aria-current={isOpen || undefined}>
      <Status status={status} />
      <code>
        <Cut text={method} />
      </code>
      <span class="row what">
        <code class="path">
          <Cut text={path} />
        </code>
        {fault !== null && <span class="tag mark none">fault {fault}</span>}
        {early && <span class="tag mark limited">before Retry-After</span>}
      </span>
      <small class="key">{keyTitle(keyId)}</small>
      <small class="ms">{formatMs(durationMs)}</small>
      <small class="time">{formatTimeOfDay(Date.parse(time))}</small>
    </a>
  );
}

const chartHeight = 44;

/** The requests of the last minute, one bar per second, coloured by how they ended. */
function RateChart({ live }: { live: typeof feed.value }) {
  const first = currentSecond(live) - chartSeconds + 1;
  const most = Math.max(1, ...[...live.seconds.values()].map(totalCount));
  const bars = Array.from({ length: chartSeconds }, (_, x) => {
    let y = chartHeight;
    return outcomes.map(([outcome]) => {
      const height = ((live.seconds.get(first + x)?.[outcome] ?? 0) / most) * chartHeight;
      y -= height;
      const bar = { x, y, height, width: 0.8, class: outcome };
      return height > 0 && <rect key={`${first + x} ${outcome}`} {...bar} />;
    });
  });
  return (
    <div aria-hidden>
      <svg viewBox={`0 0 ${chartSeconds} ${chartHeight}`} preserveAspectRatio="none">
        {bars}
      </svg>
      <p class="row note legend">
        Last minute:
        {outcomes.map(([outcome, title]) => (
          <span class={outcome}>{title}</span>
        ))}
      </p>
    </div>
  );
}
