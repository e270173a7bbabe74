import { useRef, useState } from "preact/hooks";
import { formatCount, plural } from "../../../core/format.ts";
import type { Outcome } from "../../request-log/types.ts";
import { feed } from "./connection.ts";
import { countBetween, currentSecond } from "./feed.ts";
import { outcomeTitles } from "./format.ts";
import { useInterval } from "./hooks.ts";

/** The minimum interval between announcements to screen readers, in ms. */
const pauseMs = 2_000;

/** Announces how many requests ended to screen readers, politely. */
export function Announcer() {
  const [text, setText] = useState("");
  const announced = useRef(currentSecond(feed.value));
  useInterval(pauseMs, () => {
    const now = currentSecond(feed.value);
    const counts = countBetween(feed.value, announced.current, now);
    if (counts.size > 0) setText(summary(counts));
    announced.current = now;
  });
  return (
    <p class="visually-hidden" role="status">
      {text}
    </p>
  );
}

/** Returns how requests ended: `3 requests: 2 succeeded, 1 rate limited`. */
function summary(counts: ReadonlyMap<Outcome, number>): string {
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const parts = [...counts].map(([how, count]) => `${formatCount(count)} ${outcomeTitles[how]}`);
  return `${plural(total, "request")}: ${parts.join(", ")}`;
}
