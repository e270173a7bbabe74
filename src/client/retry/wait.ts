import type { PetsApiOptions, Wait } from "../types.ts";

/** Asks, every `everyMs`, whether a wait can end before its time. */
export interface EarlyEnd {
  readonly isOver: () => boolean;
  readonly everyMs: number;
}

/** Waits as long as `planned` says, and reports it; rejects with the reason of `signal` as soon as that is aborted. */
export async function waitFor(
  { clock, signal, onEvent }: Pick<PetsApiOptions, "clock" | "signal" | "onEvent">,
  planned: Omit<Wait, "until">,
  early?: EarlyEnd,
): Promise<void> {
  signal.throwIfAborted();
  const wait = { ...planned, until: clock.now() + planned.ms };
  const end = clock.monotonic() + wait.ms;
  onEvent({ type: "waiting", wait });
  try {
    for (let left = wait.ms; left > 0 && early?.isOver() !== true; left = end - clock.monotonic())
      await clock.sleep(Math.min(left, early?.everyMs ?? Infinity), signal);
  } finally {
    onEvent({ type: "waited", wait });
  }
}
