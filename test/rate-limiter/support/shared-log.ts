import { decodeLines, encodeLogRecord } from "../../../src/rate-limiter/log/codec.ts";
import type { EventLog } from "../../../src/rate-limiter/log/event-log.ts";
import type { Timestamp } from "../../../src/rate-limiter/rules/records.ts";
import { applyRecord } from "../../../src/rate-limiter/rules/reducer.ts";
import { emptyState } from "../../../src/rate-limiter/rules/state.ts";

/** The text that several logs share, like processes share a file. */
export interface SharedText {
  text: string;
}

/** A log on `shared`; `between` is what others do between its write and its next read. */
export function sharedLog(
  shared: SharedText,
  now: () => Timestamp,
  between: () => void = () => {},
): EventLog {
  const state = emptyState();
  let seen = 0;
  const refresh = (): void => {
    // Everything that is added begins with a line break.
    const added = shared.text.slice(seen);
    if (added === "") return;
    for (const line of decodeLines(added.slice(1).split("\n"))) {
      for (const record of line?.records ?? []) applyRecord(state, record, now());
    }
    seen = shared.text.length;
  };
  return {
    state,
    refresh,
    append(record) {
      shared.text += encodeLogRecord(record);
      between();
      refresh();
    },
  };
}
