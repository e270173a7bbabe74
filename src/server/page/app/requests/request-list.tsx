import { useState } from "preact/hooks";
import { formatCount, formatTimeOfDay } from "../../../../core/format.ts";
import type { RequestRow } from "../../../request-log/types.ts";
import { formatMs } from "../format.ts";
import { keyTitle, type Plans } from "../keys.ts";
import { Empty, Safe, Status, StoreCommand } from "../parts.tsx";
import { type Filters, matches } from "./filters.tsx";

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
export function RequestList({ rows, filters, plans, opened, onOpen }: ListProps) {
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
