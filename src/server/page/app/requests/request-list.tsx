import { useState } from "preact/hooks";
import type { RequestEntry } from "../../../inspect/types.ts";
import type { Feed } from "./feed.ts";
import { type Filters, isFiltered, keyChoice, matches } from "./filters.ts";
import { formatCount } from "../../../../core/format.ts";
import { formatMs, formatTime } from "../format.ts";
import { keyTitle } from "../key-title.ts";
import { Empty, Safe, Status } from "../parts.tsx";

/** How many rows are shown until more are requested. */
const rowsAtOnce = 100;

/** The requests that the filters show, newest first. */
export function RequestList({
  shown,
  filters,
  opened,
  onOpen,
}: {
  readonly shown: Feed;
  readonly filters: Filters;
  readonly opened: RequestEntry | undefined;
  readonly onOpen: (entry: RequestEntry) => void;
}) {
  const [limit, setLimit] = useState(rowsAtOnce);
  const rows = shown.entries.filter((entry) => matches(entry, filters));
  if (rows.length === 0)
    return isFiltered(filters) ? (
      <Empty title="No request fits the filters" />
    ) : (
      <Empty title="No requests yet">
        <p>
          They appear here as they end. Send one: <code>pets list</code>
        </p>
      </Empty>
    );
  return (
    <div class="list">
      <ul class="requests" onKeyDown={moveFocus}>
        {rows.slice(0, limit).map((entry) => (
          <RequestRow
            key={entry.id}
            entry={entry}
            isOpen={entry.id === opened?.id}
            onOpen={onOpen}
          />
        ))}
      </ul>
      {rows.length > limit && (
        <button type="button" class="quiet more" onClick={() => setLimit(limit + rowsAtOnce)}>
          Show older ({formatCount(rows.length - limit)})
        </button>
      )}
    </div>
  );
}

function RequestRow({
  entry,
  isOpen,
  onOpen,
}: {
  readonly entry: RequestEntry;
  readonly isOpen: boolean;
  readonly onOpen: (entry: RequestEntry) => void;
}) {
  const { status, method, path, time, durationMs, fault, early } = entry;
  return (
    <li>
      <button type="button" class="request" aria-expanded={isOpen} onClick={() => onOpen(entry)}>
        <Status status={status} />
        <span class="method">
          <Safe text={method} />
        </span>
        <span class="path">
          <Safe text={path} />
        </span>
        <span class="marks">
          {fault !== null && <span class="mark">fault {fault}</span>}
          {early && <span class="mark early">too early</span>}
        </span>
        <span class="key">{keyTitle(keyChoice(entry))}</span>
        <span class="ms">{formatMs(durationMs)}</span>
        <time class="time" dateTime={time}>
          {formatTime(time)}
        </time>
      </button>
    </li>
  );
}

/** Moves the focus from row to row with the arrow keys. */
function moveFocus(event: KeyboardEvent): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const list = event.currentTarget;
  if (step === undefined || !(list instanceof HTMLElement)) return;
  const rows = [...list.querySelectorAll<HTMLElement>("button.request")];
  const at = rows.findIndex((row) => row === document.activeElement);
  event.preventDefault();
  rows[at + step]?.focus();
}
