import { parseLines, recordLine } from "../../../src/gate/line.ts";
import type { GateLog } from "../../../src/gate/log.ts";
import { applyRecord } from "../../../src/gate/replay.ts";
import type { Stamp } from "../../../src/gate/stamp.ts";
import { emptyState } from "../../../src/gate/state.ts";

/** The text that several logs share, as processes share a file. */
export interface SharedText {
  text: string;
}

/** A log on `shared`; `between` is what others do after its write and before it reads on. */
export function sharedLog(
  shared: SharedText,
  now: () => Stamp,
  between: () => void = () => {},
): GateLog {
  const state = emptyState();
  let seen = 0;
  const refresh = (): void => {
    const lines = shared.text.split("\n");
    for (const line of parseLines(lines.slice(seen))) {
      if (line !== undefined && "record" in line) applyRecord(state, line.record, now());
    }
    seen = lines.length;
  };
  return {
    state,
    refresh,
    append(...records) {
      shared.text += records.map(recordLine).join("");
      between();
      refresh();
    },
  };
}
