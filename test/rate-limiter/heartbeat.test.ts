import { expect, it } from "vitest";
import { Heartbeat } from "../../src/rate-limiter/heartbeat.ts";

it("records a sign of life every 3 s while the request is in flight", () => {
  const timers = new Set<{ readonly ms: number; readonly step: () => void }>();
  const beats: string[] = [];
  const heartbeat = new Heartbeat(
    (id) => beats.push(id),
    (ms, step) => {
      const timer = { ms, step };
      timers.add(timer);
      return () => timers.delete(timer);
    },
  );
  heartbeat.start("a");
  heartbeat.start("a");
  heartbeat.start("b");
  expect([...timers].map(({ ms }) => ms)).toEqual([3000, 3000]);
  for (const { step } of timers) step();
  expect(beats).toEqual(["a", "b"]);
  heartbeat.stop("a");
  heartbeat.stop("unknown");
  expect(timers.size).toBe(1);
  heartbeat.stopAll();
  expect(timers.size).toBe(0);
});
