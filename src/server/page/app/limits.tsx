import { useEffect, useState } from "preact/hooks";
import { getJson, messageOf } from "./api.ts";
import { connection } from "./connection.ts";
import { formatCount } from "../../../core/format.ts";
import { formatCountdown } from "./format.ts";
import { setPlans } from "./keys.ts";
import { Empty, Problem } from "./parts.tsx";
import { noteStoreTime, storeNow } from "./store-clock.ts";
import { useProblem } from "./use-problem.ts";
import { useTick } from "./value.ts";

/** A window of a key; `limit` is null if there is none. */
interface KeyWindow {
  readonly used: number;
  readonly limit: number | null;
  readonly resetAt: string;
}

/** What `GET /_store/limits` returns for a key. */
interface KeyLimits {
  readonly id: string;
  readonly plan: string;
  readonly minute: KeyWindow;
  readonly day: KeyWindow;
  readonly waitUntil: string | null;
  readonly bannedUntil: string | null;
}

/** The interval at which the limits are fetched, in ms. */
const pollMs = 1_000;
/** The maximum number of keys that are shown. */
const maxShown = 100;

/** Each key with its plan, the usage of its minute and day, and its wait or ban. */
export function LimitsView() {
  const { keys, problem } = useLimits();
  useTick(250);
  const now = storeNow();
  return (
    <section aria-labelledby="limits-title">
      <h2 id="limits-title">
        Limits <span class="count">{keys && formatCount(keys.length)}</span>
      </h2>
      {problem !== undefined && <Problem>{problem}</Problem>}
      {keys?.length === 0 && (
        <Empty title="No keys">
          <p>
            Make one in a terminal: <code>pets keys add</code>
          </p>
        </Empty>
      )}
      <ul class="keys">
        {keys?.slice(0, maxShown).map((key) => (
          <KeyCard key={key.id} limits={key} now={now} />
        ))}
      </ul>
      {keys !== undefined && keys.length > maxShown && (
        <p class="note">
          The first {maxShown} are shown; <code>pets keys list</code> shows all.
        </p>
      )}
    </section>
  );
}

function KeyCard({
  limits: { id, plan, minute, day, waitUntil, bannedUntil },
  now,
}: {
  readonly limits: KeyLimits;
  readonly now: number;
}) {
  return (
    <li class="card key-card">
      <h3>
        <span class="tag">{plan}</span> <span class="code">{id}</span>
      </h3>
      <Countdown text="Banned for" until={bannedUntil} now={now} kind="server" />
      {bannedUntil === null && (
        <Countdown text="Rate limited for" until={waitUntil} now={now} kind="limited" />
      )}
      <WindowBar name="Minute" window={minute} now={now} />
      <WindowBar name="Day" window={day} now={now} />
    </li>
  );
}

function Countdown({
  text,
  until,
  now,
  kind,
}: {
  readonly text: string;
  readonly until: string | null;
  readonly now: number;
  readonly kind: string;
}) {
  const left = until === null ? 0 : Date.parse(until) - now;
  if (left <= 0) return null;
  return (
    <p class={`countdown ${kind}`}>
      {text} <strong>{formatCountdown(left)}</strong>
    </p>
  );
}

function WindowBar({
  name,
  window: { used, limit, resetAt },
  now,
}: {
  readonly name: string;
  readonly window: KeyWindow;
  readonly now: number;
}) {
  const left = Date.parse(resetAt) - now;
  const current = left > 0 ? used : 0;
  const share = limit === null ? 0 : Math.min(1, current / limit);
  const kind = share >= 1 ? "full" : share >= 0.8 ? "near" : "";
  return (
    <div class="window">
      <div class="window-text">
        <span>{name}</span>
        <span>
          {formatCount(current)} {limit === null ? "used, unlimited" : `of ${formatCount(limit)}`}
        </span>
      </div>
      {limit !== null && (
        <div
          class={`bar ${kind}`}
          role="meter"
          aria-label={`${name}: requests used`}
          aria-valuemin={0}
          aria-valuemax={limit}
          aria-valuenow={Math.min(current, limit)}
        >
          <div class="fill" style={{ width: `${share * 100}%` }} />
        </div>
      )}
      {limit !== null && left > 0 && <p class="note">resets in {formatCountdown(left)}</p>}
    </div>
  );
}

/** Returns the limits, fetched every second while they are shown and the page is visible. */
function useLimits() {
  const [keys, setKeys] = useState<readonly KeyLimits[]>();
  const { problem, setProblem } = useProblem();
  useEffect(() => {
    const load = async (): Promise<void> => {
      if (document.hidden) return;
      try {
        const limits = Object(await getJson("/_store/limits"));
        noteStoreTime(limits.now);
        setKeys(limits.keys);
        setPlans(limits.keys);
        setProblem(undefined);
      } catch (error) {
        if (connection.get() === "live") setProblem(messageOf(error));
      }
    };
    void load();
    const timer = setInterval(() => void load(), pollMs);
    return () => clearInterval(timer);
  }, []);
  return { keys, problem };
}
