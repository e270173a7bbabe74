import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { formatCount, plural } from "../../../core/format.ts";
import { escapeControls, invisible } from "../../../core/sanitize.ts";
import { type Outcome, outcomeOf } from "../../request-log/types.ts";
import { feed, info } from "./connection.ts";
import { countBetween, currentSecond, totalCount } from "./feed.ts";
import { useInterval } from "./hooks.tsx";
import { storeCommand } from "./resend.ts";

const invisibleRun = new RegExp(`(${invisible.source}+)`);

/** Text from outside: invisible characters are shown as escapes, distinct from the text around them. */
export function Safe({ text }: { text: string }) {
  const parts = text.toWellFormed().split(invisibleRun);
  const shown = parts.map((part, at) =>
    at % 2 === 0 ? part : <span class="escape">{escapeControls(part)}</span>,
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
        <button class="link" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? "Show less" : `Show all ${formatCount(text.length)} characters`}
        </button>
      )}
    </>
  );
}

/** A `pets` command for this store. */
export function StoreCommand({ words }: { words: readonly string[] }) {
  const store = info.value;
  return <code>{store ? storeCommand(words, store) : ["pets", ...words].join(" ")}</code>;
}

/** How a request ended, in words. */
const outcomeTitles: Readonly<Record<Outcome, string>> = {
  ok: "succeeded",
  limited: "rate limited",
  client: "rejected",
  server: "failed",
  none: "without a response",
};

/** How a request ended; the colour says no more than the text. */
export function Status({ status }: { status: number | null }) {
  const outcome = outcomeOf({ status });
  return (
    <span class={`pill ${outcome}`} title={outcomeTitles[outcome]}>
      {status ?? "none"}
    </span>
  );
}

/** The minimum interval between announcements to screen readers, in ms. */
const announcementMs = 2_000;

/** Announces how many requests ended to screen readers, politely: `3 requests: 2 succeeded, 1 rate limited`. */
export function Announcer() {
  const [text, setText] = useState("");
  const announced = useRef(currentSecond(feed.value));
  useInterval(announcementMs, () => {
    const now = currentSecond(feed.value);
    const counts = countBetween(feed.value, announced.current, now);
    announced.current = now;
    if (counts.size === 0) return;
    const parts = [...counts].map(([how, count]) => `${formatCount(count)} ${outcomeTitles[how]}`);
    setText(`${plural(totalCount(counts.values()), "request")}: ${parts.join(", ")}`);
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
    <div class="empty">
      <Paw />
      <p>
        <strong>{title}</strong>
      </p>
      {children}
    </div>
  );
}

/** The logo of the store. */
export function Paw() {
  return (
    <svg class="paw" viewBox="0 0 32 32" aria-hidden="true">
      <ellipse cx="7" cy="14" rx="3.2" ry="4.2" transform="rotate(-24 7 14)" />
      <ellipse cx="13" cy="8" rx="3.3" ry="4.6" transform="rotate(-8 13 8)" />
      <ellipse cx="20" cy="8" rx="3.3" ry="4.6" transform="rotate(8 20 8)" />
      <ellipse cx="26" cy="14" rx="3.2" ry="4.2" transform="rotate(24 26 14)" />
      <path d="M16.5 15c4.6 0 8 4.300 8 8.200 0 2.600-1.900 3.800-4.100 3.800-1.600 0-2.500-.7-3.900-.7s-2.300.7-3.900.7c-2.200 0-4.100-1.200-4.100-3.800 0-3.900 3.400-8.200 8-8.200z" />
    </svg>
  );
}

/** A button that copies `text`. */
export function CopyButton({ text, what }: { text: string; what: string }) {
  const copy = async (button: HTMLButtonElement): Promise<void> => {
    button.textContent = await navigator.clipboard.writeText(text).then(
      () => "Copied",
      () => "Select and copy",
    );
    setTimeout(() => (button.textContent = "Copy"), 1_500);
  };
  return (
    <button onClick={({ currentTarget }) => void copy(currentTarget)} aria-label={`Copy ${what}`}>
      Copy
    </button>
  );
}

/** Formats a duration for people: `0.4 ms`, `12 ms`, `1.5 s`. */
export function formatMs(ms: number): string {
  if (ms >= 1000) return `${(ms / 1000).toFixed(1)} s`;
  return `${ms < 10 ? ms : Math.round(ms)} ms`;
}

/** Returns the texts in the fields of a form, by their names. */
export function formTexts(form: HTMLFormElement): Readonly<Record<string, string>> {
  const fields = [...new FormData(form)];
  return Object.fromEntries(
    fields.map(([name, text]) => [name, typeof text === "string" ? text : ""]),
  );
}
