import { formatCount, plural } from "../../../core/format.ts";
import type { StoreShapes } from "../../api/store-shapes.ts";
import { usePolled } from "./hooks.tsx";
import { Safe } from "./parts.tsx";

type KeyLimits = StoreShapes["limits"]["keys"][number];

const maxShown = 100;

/** Each key with its plan, the usage of its minute and day, and its wait or ban, all by the store's time. */
export function LimitsView() {
  const { value, problem } = usePolled<StoreShapes["limits"]>("/_store/limits", 1_000);
  const { keys = [], now = 0 } = value ?? {};
  return (
    <section aria-labelledby="limits-title">
      <h2 id="limits-title">Limits {value && `of ${plural(keys.length, "key")}`}</h2>
      {problem}
      <ul class="cards">
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
        <span class="tag">
          <Safe text={plan} />
        </span>{" "}
        <code>{id}</code>
      </h3>
      {left > 0 && (
        <p class={`alert ${bannedUntil === null ? "limited" : "server"}`}>
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
  const { limit, seconds, resetAt } = window;
  const name = windowName(seconds);
  const used = resetAt > now ? window.used : 0;
  return (
    <div>
      <p class="row apart">
        <span>
          {name}{" "}
          {limit !== null && resetAt > now && (
            <small>resets in {formatCountdown(resetAt - now)}</small>
          )}
        </span>
        <span>
          {formatCount(used)} {limit === null ? "used, unlimited" : `of ${formatCount(limit)} used`}
        </span>
      </p>
      {limit !== null && <meter aria-label={`${name}: requests used`} max={limit} value={used} />}
    </div>
  );
}

const windowNames: Record<number, string> = { 60: "minute", 3_600: "hour", 86_400: "day" };

/** Returns the name of a window by its length: `Per minute`, `Per hour`, `Per day`, else `Per 2 s`, `Per 1:30`. */
export function windowName(seconds: number): string {
  return `Per ${windowNames[seconds] ?? formatCountdown(seconds * 1000)}`;
}

/** Formats the remaining time: `9 s`, `4:05`, `7:04:05`. */
export function formatCountdown(ms: number): string {
  const total = Math.max(0, Math.ceil(ms / 1000));
  if (total < 60) return `${total} s`;
  const [hours, minutes, seconds] = [total / 3600, (total / 60) % 60, total % 60].map(Math.floor);
  const end = String(seconds).padStart(2, "0");
  return hours === 0 ? `${minutes}:${end}` : `${hours}:${String(minutes).padStart(2, "0")}:${end}`;
}
