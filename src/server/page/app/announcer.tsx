import { useEffect, useState } from "preact/hooks";
import { feed } from "./connection.ts";
import { type Outcome, outcomeOf } from "../../inspect/types.ts";
import type { Feed } from "./requests/feed.ts";
import { plural } from "../../../core/format.ts";

/** The minimum interval between announcements to screen readers, in ms (`help store`). */
const pauseMs = 2_000;

/** Announces new requests to screen readers, politely. */
export function Announcer() {
  const [text, setText] = useState("");
  useEffect(() => {
    // What was there when the page was opened is no news.
    let announced: number | undefined;
    const timer = setInterval(() => {
      const current = feed.get();
      if (current.seen > (announced ?? Infinity))
        setText(summary(current, current.seen - (announced ?? 0)));
      announced = current.seen;
    }, pauseMs);
    return () => clearInterval(timer);
  }, []);
  return (
    <p class="visually-hidden" role="status">
      {text}
    </p>
  );
}

const words: Record<Outcome, string> = {
  ok: "succeeded",
  limited: "rate limited",
  client: "rejected",
  server: "failed",
  none: "without a response",
};

/** Returns how the newest `count` requests ended: `3 requests: 2 succeeded, 1 rate limited`. */
function summary({ rows }: Feed, count: number): string {
  const byOutcome = Map.groupBy(rows.slice(0, count), outcomeOf);
  const parts = [...byOutcome].map(([outcome, { length }]) => `${length} ${words[outcome]}`);
  return `${plural(count, "request")}: ${parts.join(", ")}`;
}
