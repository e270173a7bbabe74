import type { Outcome } from "../../request-log/types.ts";

/** How a request ended, in words. */
export const outcomeTitles: Readonly<Record<Outcome, string>> = {
  ok: "succeeded",
  limited: "rate limited",
  client: "rejected",
  server: "failed",
  none: "without a response",
};

/** Formats a duration for people: `0.4 ms`, `12 ms`, `1.5 s`. */
export function formatMs(ms: number): string {
  if (ms >= 1000) return `${(ms / 1000).toFixed(1)} s`;
  return `${ms < 10 ? ms : Math.round(ms)} ms`;
}

const windowNames: Record<number, string> = { 60: "Minute", 3_600: "Hour", 86_400: "Day" };

/** Returns the name of a window by its length: `Minute`, `Hour`, `Day`, else `2 s`, `1:30`. */
export function windowName(seconds: number): string {
  return windowNames[seconds] ?? formatCountdown(seconds * 1000);
}

/** Formats the remaining time: `9 s`, `4:05`, `7:04:05`. */
export function formatCountdown(ms: number): string {
  const total = Math.max(0, Math.ceil(ms / 1000));
  if (total < 60) return `${total} s`;
  const [hours, minutes, seconds] = [total / 3600, (total / 60) % 60, total % 60].map(Math.floor);
  const end = String(seconds).padStart(2, "0");
  return hours === 0 ? `${minutes}:${end}` : `${hours}:${String(minutes).padStart(2, "0")}:${end}`;
}
