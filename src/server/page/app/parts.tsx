import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { formatCount } from "../../../core/format.ts";
import { escapeControls, invisible } from "../../../core/sanitize.ts";
import { outcomeOf } from "../../request-log/types.ts";
import { info } from "./connection.ts";
import { outcomeTitles } from "./format.ts";
import { storeCommand } from "./resend.ts";

const invisibleRun = new RegExp(`(${invisible.source}+)`);

/** Text from outside: invisible characters are shown as escapes, distinct from the text around them. */
export function Safe({ text }: { text: string }) {
  const parts = text.toWellFormed().split(invisibleRun);
  return <bdi>{parts.map((part, at) => (at % 2 === 0 ? part : <Escape text={part} />))}</bdi>;
}

function Escape({ text }: { text: string }) {
  return <span class="escape">{escapeControls(text)}</span>;
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
        <button type="button" class="link" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
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

/** How a request ended; the colour says no more than the text. */
export function Status({ status }: { status: number | null }) {
  const outcome = outcomeOf({ status });
  return (
    <span class={`pill ${outcome}`} title={outcomeTitles[outcome]}>
      {status ?? "none"}
    </span>
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

/** An error, and what to do. */
export function Problem({ children }: { children: ComponentChildren }) {
  return (
    <p class="problem" role="alert">
      {children}
    </p>
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
export function CopyButton({ text, what }: { text: string; readonly what: string }) {
  return (
    <button
      type="button"

      onClick={async ({ currentTarget }) => {
        currentTarget.textContent = await navigator.clipboard.writeText(text).then(
          () => "Copied",
          () => "Select and copy",
        );
        setTimeout(() => (currentTarget.textContent = "Copy"), 1_500);
      }}
      aria-label={`Copy ${what}`}
    >
      Copy
    </button>
  );
}

/** Returns the texts in the fields of a form, by their names. */
export function formTexts(form: HTMLFormElement): Readonly<Record<string, string>> {
  const fields = [...new FormData(form)];
  return Object.fromEntries(
    fields.map(([name, text]) => [name, typeof text === "string" ? text : ""]),
  );
}
