import { useState } from "preact/hooks";
import type { RequestRow } from "../../../request-log/types.ts";
import type { Feed } from "./feed.ts";
import { type Filters, isFiltered, matches } from "./filters.ts";
import { formatCount, formatTimeOfDay } from "../../../../core/format.ts";
import { formatMs } from "../format.ts";
import { keyTitle, plans } from "../keys.ts";
import { Empty, Safe, Status, StoreCommand } from "../parts.tsx";
import { useValue } from "../value.ts";

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
  /** The id of the opened request, or an empty text. */
  readonly opened: string;
  readonly onOpen: (id: string) => void;
}) {
  const [limit, setLimit] = useState(rowsAtOnce);
  const known = useValue(plans);
  const rows = shown.rows.filter((row) => matches(row, filters));
  if (rows.length === 0)
    return isFiltered(filters) ? (
      <Empty title="No matching requests" />
    ) : (
      <Empty title="No requests yet">
        <p>
          They appear here when they complete. Send one: <StoreCommand words={["list"]} />
        </p>
      </Empty>
    );
  return (
    <div class="list">
      <ul class="requests" onKeyDown={moveFocus}>
        {rows.slice(0, limit).map((row) => (
          <Row
            key={row.id}
            row={row}
            keyName={keyTitle(row.keyId, known)}
            isOpen={row.id === opened}
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

function Row({
  row: { id, status, method, path, time, durationMs, fault, early },
  keyName,
  isOpen,
  onOpen,
}: {
  row: RequestRow;
  keyName: string;
  isOpen: boolean;
  onOpen: (id: string) => void;
}) {
  return (
    <li>
      <button type="button" class="request" aria-expanded={isOpen} onClick={() => onOpen(id)}>
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
