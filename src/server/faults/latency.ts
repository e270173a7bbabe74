/** How long replies are held back: `ms`, more or less by up to `jitter`; both in ms. */
export interface Latency {
  readonly ms: number;
  readonly jitter: number;
}

/** How a latency is written, for messages. */
export const latencySpelling = "MS or MS±MS (MS+-MS too), in whole milliseconds up to 3600000";

const spelling = /^(\d{1,7})(?:(?:\u00b1|\+-)(\d{1,7}))?$/;
const longest = 3_600_000;

/** The latency that `text` spells (store.md, Starting it), or undefined where it is wrong. */
export function parseLatency(text: string): Latency | undefined {
  const [, ms, jitter = "0"] = spelling.exec(text) ?? [];
  if (ms === undefined || Math.max(Number(ms), Number(jitter)) > longest) return undefined;
  return { ms: Number(ms), jitter: Number(jitter) };
}

/** `latency` as `parseLatency` reads it. */
export function latencyText({ ms, jitter }: Latency): string {
  return jitter === 0 ? String(ms) : `${ms}±${jitter}`;
}

/** The wait in ms that a number from 0 up to 1 draws; never below 0. */
export function drawLatency({ ms, jitter }: Latency, number: number): number {
  return Math.max(0, ms + jitter * (2 * number - 1));
}
