import { useRef } from "preact/hooks";
import { formatCount, plural } from "../../../core/format.ts";
import type { StoreShapes } from "../../api/store-shapes.ts";
import { check, feed, isAsking, loadCheck } from "./connection.ts";
import { useInterval } from "./hooks.tsx";
import { Safe, StoreCommand } from "./parts.tsx";

/** What the check has found so far, in the words of its report; nothing unless the store judges its clients. */
export function CheckCard() {
  useFreshCheck();
  if (check.value === undefined) return null;
  const { early, bans, duplicates } = check.value;
  const facts = {
    Early: early > 0 && `${plural(early, "request")} sent before Retry-After elapsed`,
    Bans: bans > 0 && formatCount(bans),
    "Added twice": describeDuplicates(duplicates),
  };
  const hasFailed = Object.values(facts).some(Boolean);
  return (
    <div class="card">
      <h3 class="row">
        Check
        <span class={`tag ${hasFailed ? "server" : "ok"}`}>
          {hasFailed ? "failed" : "nothing found so far"}
        </span>
      </h3>
      <dl class="check">
        {Object.entries(facts).map(([name, text]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <Safe text={text || "none"} />
            </dd>
          </div>
        ))}
      </dl>
      <p class="note">
        {early > 0 &&
          "The third such request bans the key, but not after a forced 429 (a fault or a script step). "}
        The whole report: <StoreCommand words={["store", "check"]} />
      </p>
    </div>
  );
}

const maxNamed = 10;

/** Returns the last animals that were added twice: `"Rex" (ids 6, 7), and 3 more`. */
function describeDuplicates(duplicates: StoreShapes["check"]["duplicates"]): string {
  const named = duplicates
    .slice(-maxNamed)
    .map(({ name, ids }) => `${JSON.stringify(name)} (ids ${ids.join(", ")})`);
  const more = duplicates.length - named.length;
  return [...named, ...(more > 0 ? [`and ${formatCount(more)} more`] : [])].join(", ");
}

/** The store compares all requests anew: it rests this many times as long as that took. */
const restFactor = 50;

/** Fetches the check again once requests have arrived. */
function useFreshCheck(): void {
  const last = useRef({ seen: -1, restUntil: 0 });
  useInterval(1_000, async () => {
    const startedAt = performance.now();
    const { seen } = feed.value;
    const isDue = seen !== last.current.seen && startedAt >= last.current.restUntil;
    if (!isDue || !isAsking.value || check.value === undefined) return;
    last.current = { seen, restUntil: Infinity };
    // What fails is asked for again.
    await loadCheck().catch(() => {});
    last.current.restUntil = performance.now() + restFactor * (performance.now() - startedAt);
  });
}
