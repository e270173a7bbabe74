import { formatCount } from "../../../core/format.ts";
import { formatCountdown, windowName } from "./format.ts";
import { usePolled } from "./hooks.ts";
import { Empty, Problem } from "./parts.tsx";

/** What `GET /_store/limits` returns for a key. */
interface KeyLimits {
  readonly id: string;
  readonly plan: string;
  /** The shorter first; `limit` is null if there is none. */
  readonly windows: readonly {
    readonly seconds: number;
    readonly used: number;
    readonly limit: number | null;
    readonly resetAt: number;
  }[];
  readonly waitUntil: number | null;
  readonly bannedUntil: number | null;
}

/** The maximum number of keys that are shown. */
const maxShown = 100;

/** Each key with its plan, the usage of its minute and day, and its wait or ban, all by the store's time. */
export function LimitsView() {
  const { value, problem } = usePolled<{ now: number; keys: KeyLimits[] }>("/_store/limits", 1_000);
  const { keys = [], now = 0 } = value ?? {};
  return (
    <section aria-labelledby="limits-title">
      <h2 id="limits-title">
        Limits <span class="count">{value && formatCount(keys.length)}</span>
      </h2>
      {problem !== undefined && <Problem>{problem}</Problem>}
      {value && keys.length === 0 && <Empty title="No keys" />}
      <ul class="keys">
        {keys.slice(0, maxShown).map((key) => (
          <KeyCard key={key.id} limits={key} now={now} />
        ))}
      </ul>
      {keys.length > maxShown && <p class="note">Showing the first {maxShown} keys.</p>}
    </section>
  );
}

function KeyCard({ limits, now }: { limits: KeyLimits; now: number }) {
  const { id, plan, windows, waitUntil, bannedUntil } = limits;
  const left = (bannedUntil ?? waitUntil ?? 0) - now;
  return (
    <li class="card">
      <h3 class="row apart">
        <span class="tag">{plan}</span> <span class="code">{id}</span>
      </h3>
      {left > 0 && (
        <p class={`countdown ${bannedUntil === null ? "limited" : "server"}`}>
          {bannedUntil === null ? "Rate limited for" : "Banned for"}{" "}
          <strong>{formatCountdown(left)}</strong>
        </p>
      )}
      {windows.map((each) => (
        <WindowBar key={each.seconds} window={each} now={now} />
      ))}
    </li>
  );
}

function WindowBar({ window, now }: { window: KeyLimits["windows"][number]; now: number }) {
  const { used, limit } = window;
  const name = windowName(window.seconds);
  const left = window.resetAt - now;
  const current = left > 0 ? used : 0;
  return (
    <div class="window">
      <div class="row apart">
        <span>{name}</span>
        <span>
          {formatCount(current)} {limit === null ? "used, unlimited" : `of ${formatCount(limit)}`}
        </span>
      </div>
      {limit !== null && (
        <meter
          aria-label={`${name}: requests used`}
          max={limit}
          low={0.8 * limit}
          high={limit - 1}
          optimum={0}
          value={current}
        />
      )}
      {limit !== null && left > 0 && <p class="note">resets in {formatCountdown(left)}</p>}
    </div>
  );
}
