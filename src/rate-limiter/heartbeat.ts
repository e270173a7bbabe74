/** Runs `step` every `ms` until the returned function is called. */
export type Every = (ms: number, step: () => void) => () => void;

/** The interval of a probe's signs of life, in ms. */
const heartbeatMs = 3000;

/** Calls `beat` while the request of a probe is in flight, until the returned function is called. */
export function startHeartbeat(beat: () => void, every: Every = everyInterval): () => void {
  return every(heartbeatMs, beat);
}

/** Starts a timer that does not keep the process alive. */
function everyInterval(ms: number, step: () => void): () => void {
  const timer = setInterval(step, ms).unref();
  return () => clearInterval(timer);
}
