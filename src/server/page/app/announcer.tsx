import { useEffect, useState } from "preact/hooks";
import { feed } from "./connection.ts";
import { type Feed, type Outcome, outcomeOf } from "./requests/feed.ts";
import { plural } from "../../../core/format.ts";

/** The minimum interval between announcements to screen readers, in ms (store.md, Seeing what happens). */
const pauseMs = 2_000;

/** Announces new requests to screen readers, politely. */
export function Announcer() {
  const [text, setText] = useState("");
  useEffect(() => {
    let announced = feed.get().seen;
    const timer = setInterval(() => {
      const current = feed.get();
      if (current.seen > announced) setText(summary(current, current.seen - announced));
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
  ok: "answered",
  limited: "rate limited",
  client: "refused",
  server: "failed",
  none: "without a reply",
};

/** Returns how the newest `count` requests ended: `3 requests: 2 answered, 1 rate limited`. */
function summary({ entries }: Feed, count: number): string {
  const byOutcome = Map.groupBy(entries.slice(0, count), outcomeOf);
  const parts = [...byOutcome].map(([outcome, { length }]) => `${length} ${words[outcome]}`);
  return `${plural(count, "request")}: ${parts.join(", ")}`;
}
