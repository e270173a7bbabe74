import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { formatCount, formatDateTime, formatTimeOfDay, plural } from "../../../core/format.ts";
import { escapeControls, invisible } from "../../../core/sanitize.ts";
import { outcomeOf } from "../../request-log/types.ts";
import { feed, info } from "./connection.ts";
import { countBetween, currentSecond, outcomes, totalCount } from "./feed.ts";
import { useInterval } from "./hooks.tsx";
import { storeCommand } from "./resend.ts";

const invisibleRun = new RegExp(`(${invisible.source}+)`);

/** Text from outside: invisible characters are shown as escapes, distinct from the text around them. */
export function Safe({ text }: { text: string }) {
  const parts = text.toWellFormed().split(invisibleRun);
  const shown = parts.map((part, at) =>
    at % 2 === 0 ? part : <bdi class="escape">{escapeControls(part)}</bdi>,
  );
  return <bdi>{shown}</bdi>;
}

/** More than three lines of text hold, in characters. */
const maxCut = 800;

/** Text from outside of any length: three lines of it, and the rest on demand. */
export function LongText({ text }: { text: string }) {
  const [isOpen, setOpen] = useState(false);
  const [isCut, setCut] = useState(text.length > maxCut);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const { current } = box;
    if (current === null || text.length > maxCut || isOpen) return undefined;
    const observer = new ResizeObserver(() => setCut(current.scrollHeight > current.clientHeight));
    observer.observe(current);
    return () => observer.disconnect();
  }, [text, isOpen]);
  // Short ones fit on any screen.
  if (text.length < 40) return <Safe text={text} />;
  return (
    <>
      <div ref={box} class={isOpen ? undefined : "clamped"}>
        <Safe text={isOpen ? text : text.slice(0, maxCut)} />
      </div>
      {isCut && (
        <button
          aria-expanded={isOpen}
          aria-label={isOpen ? "Show less" : `Show all ${formatCount(text.length)} characters`}
          onClick={() => setOpen(!isOpen)}
        >
          {isOpen ? "Show less" : "Show all"}
        </button>
      )}
    </>
  );
}

/** Text from outside in one line: what does not fit is cut, and stands in the title. */
export function Cut({ text }: { text: string }) {
  return (
    <span class="cut" title={escapeControls(text)}>
      <Safe text={text.slice(0, maxCut)} />
    </span>
  );
}

/** A `pets` command for this store. */
export function StoreCommand({ words }: { words: readonly string[] }) {
  return info.value && <code>{storeCommand(words, info.value)}</code>;
}

/** The status of a response; the colour says no more than the text. */
export function Status({ status }: { status: number | null }) {
  return <span class={`tag status ${outcomeOf({ status })}`}>{status ?? "none"}</span>;
}

const announcementMs = 2_000;

/** Announces how many requests ended to screen readers, politely: `3 requests: 2 succeeded (2xx), 1 failed (5xx)`. */
export function Announcer() {
  const [text, setText] = useState("");
  const announced = useRef(currentSecond(feed.value));
  useInterval(announcementMs, () => {
    const now = currentSecond(feed.value);
    const counts = countBetween(feed.value, announced.current, now);
    announced.current = now;
    const parts = outcomes.flatMap(([outcome, title]) => {
      const count = counts[outcome];
      return count === undefined ? [] : `${formatCount(count)} ${title}`;
    });
    if (parts.length > 0) setText(`${plural(totalCount(counts), "request")}: ${parts.join(", ")}`);
  });
  return (
    <p class="visually-hidden" role="status">
      {text}
    </p>
  );
}

/** What a view says when there is nothing to show. */
export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="card empty">
      <strong>{title}</strong>
      {children}
    </div>
  );
}

/** Formats a moment in the browser's time zone: `2030-12-05 14:05:27`. */
export function formatClock(at: number): string {
  return `${formatDateTime(at)}${formatTimeOfDay(at).slice(5, 8)}`;
}

/** Formats a duration for people: `0.4 ms`, `12 ms`, `1.5 s`. */
export function formatMs(ms: number): string {
  if (ms >= 1000) return `${(ms / 1000).toFixed(1)} s`;
  return `${ms < 10 ? ms : Math.round(ms)} ms`;
}

/** Returns the texts in the fields of a form, by their names. */
export function formTexts(form: HTMLFormElement): Readonly<Record<string, string>> {
  return Object(Object.fromEntries(new FormData(form)));
}
