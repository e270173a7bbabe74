import type { ComponentChildren } from "preact";
import { escapeControls } from "../../../core/sanitize.ts";
import { type Outcome, outcomeOf } from "./requests/feed.ts";

/** Text from outside: invisible characters are shown as escapes, distinct from the text around them. */
export function Safe({ text }: { readonly text: string }) {
  if (escapeControls(text) === text) return <bdi>{text}</bdi>;
  const parts = Array.from(text.toWellFormed(), (character) => [
    character,
    escapeControls(character),
  ]);
  return (
    <bdi>
      {groupPlain(parts).map(({ isEscape, shown }, at) =>
        isEscape ? (
          <span key={at} class="escape">
            {shown}
          </span>
        ) : (
          shown
        ),
      )}
    </bdi>
  );
}

function groupPlain(parts: readonly (readonly string[])[]) {
  const groups: { isEscape: boolean; shown: string }[] = [];
  for (const [character, shown = ""] of parts) {
    const isEscape = character !== shown;
    const last = groups.at(-1);
    if (last !== undefined && last.isEscape === isEscape) last.shown += shown;
    else groups.push({ isEscape, shown });
  }
  return groups;
}

/** Several lines of text from outside. */
export function SafeLines({ text }: { readonly text: string }) {
  return (
    <>
      {text.split("\n").map((line, at) => (
        <div key={at}>
          <Safe text={line === "" ? " " : line} />
        </div>
      ))}
    </>
  );
}

const outcomeTitles: Record<Outcome, string> = {
  ok: "answered",
  limited: "rate limited",
  client: "refused",
  server: "the store failed",
  none: "no reply",
};

/** How a request ended; the colour says no more than the text. */
export function Status({ status }: { readonly status: number | null }) {
  const outcome = outcomeOf({ status });
  return (
    <span class={`pill ${outcome}`} title={outcomeTitles[outcome]}>
      {status ?? "none"}
    </span>
  );
}

/** What a view says when there is nothing to show. */
export function Empty({
  title,
  children,
}: {
  readonly title: string;
  readonly children?: ComponentChildren;
}) {
  return (
    <div class="empty">
      <Paw />
      <p class="empty-title">{title}</p>
      {children}
    </div>
  );
}

/** An error, and what to do. */
export function Problem({ children }: { readonly children: ComponentChildren }) {
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
export function CopyButton({ text, what }: { readonly text: string; readonly what: string }) {
  return (
    <button
      type="button"
      class="quiet"
      onClick={({ currentTarget }) => {
        const say = (word: string): void => {
          currentTarget.textContent = word;
          setTimeout(() => (currentTarget.textContent = "Copy"), 1_500);
        };
        navigator.clipboard.writeText(text).then(
          () => say("Copied"),
          () => say("Select and copy"),
        );
      }}
      aria-label={`Copy ${what}`}
    >
      Copy
    </button>
  );
}
