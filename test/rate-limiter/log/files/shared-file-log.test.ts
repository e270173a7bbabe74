import { mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import path from "node:path";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { encodeSnapshot } from "../../../../src/rate-limiter/log/codec.ts";
import { inMemoryLog } from "../../../../src/rate-limiter/log/event-log.ts";
import { SharedFileLog } from "../../../../src/rate-limiter/log/files/shared-file-log.ts";
import { decide } from "../../../../src/rate-limiter/rules/decision.ts";
import type { LimiterEvent } from "../../../../src/rate-limiter/rules/records.ts";
import { expirePermits } from "../../../../src/rate-limiter/rules/reducer.ts";
import {
  add,
  addBlindly,
  bytesIn,
  fileOf,
  latestOf,
  namesIn,
  newFiles,
  noon,
  openLog,
  plain,
  work,
} from "../../support/files.ts";
import {
  anyEvent,
  lost,
  ok,
  probe,
  record,
  refused,
  reserve,
  stamp,
} from "../../support/records.ts";

const seal: LimiterEvent = { kind: "seal" };
/** More rounds of work than fit into one file. */
const fullFile = 200;

describe("a log in files", () => {
  it("is shared by all that open it", () => {
    const files = newFiles();
    const [a, b] = [openLog(files), openLog(files)];
    add(a, reserve("a"));
    add(b, reserve("b"));
    add(a, lost("a"));
    b.refresh();
    const c = openLog(files);
    expect([plain(b.state), plain(c.state)]).toEqual([plain(a.state), plain(a.state)]);
    expect([...c.state.permits.keys(), c.state.uncounted.count]).toEqual(["b", 1]);
    expect(namesIn(files)).toEqual(["key.1"]);
  });

  it("starts again if the first line is broken, and nothing before that counts", () => {
    const files = newFiles();
    mkdirSync(files.folder, { recursive: true });
    writeFileSync(fileOf(files, 1), encodeSnapshot([record([noon, reserve("torn")])]).slice(0, -1));
    addBlindly(files, 1, reserve("early"));
    const log = openLog(files);
    add(log, reserve("late"));
    expect([...log.state.permits.keys()]).toEqual(["late"]);
    expect(plain(openLog(files).state)).toEqual(plain(log.state));
  });
});

describe("a log that continues in the next file", () => {
  it("rotates when a file is full, keeps the one before, and removes earlier ones", () => {
    const files = newFiles();
    const log = openLog(files);
    add(log, refused("a", 60_000));
    add(log, reserve("open"));
    for (const generation of [2, 3, 4]) {
      for (let turn = 0; turn < fullFile && latestOf(files) < generation; turn += 1) work(log, 1);
      expect(namesIn(files)).toEqual([`key.${generation - 1}`, `key.${generation}`]);
      expect([...log.state.permits.keys()]).toEqual(["open"]);
      expect(log.state.backoff?.until).toBe(noon + 60_000);
      expect(plain(openLog(files).state)).toEqual(plain(log.state));
    }
  });

  it("moves what lands after a seal to the next file, once", () => {
    const files = newFiles();
    const [a, b] = [openLog(files), openLog(files)];
    add(a, reserve("before"));
    addBlindly(files, 1, seal);
    addBlindly(files, 1, reserve("lost"));
    add(a, reserve("behind"));
    add(b, reserve("next"));
    expect([...b.state.permits.keys()]).toEqual(["before", "behind", "next"]);
    a.refresh();
    expect(plain(openLog(files).state)).toEqual(plain(a.state));
    const texts = [1, 2].map((generation) => readFileSync(fileOf(files, generation), "latin1"));
    expect(texts.map((text) => text.split('"behind"').length)).toEqual([2, 2]);
  });

  it("is not set back by a process that slept if the latest snapshot is not written yet", () => {
    const files = newFiles();
    const [sleeper, other] = [openLog(files), openLog(files)];
    add(sleeper, reserve("sleeper"));
    work(other, 5 * fullFile);
    add(other, refused("x", 60_000));
    const latest = latestOf(files);
    addBlindly(files, latest, seal);
    writeFileSync(fileOf(files, latest + 1), "");
    sleeper.refresh();
    expect(sleeper.state.backoff?.until).toBe(noon + 60_000);
    other.refresh();
    expect(plain(other.state)).toEqual(plain(sleeper.state));
  });

  it("is found if the process that rotated died before the first line was complete", () => {
    for (const rest of ["", "\n", '\n["beg']) {
      const files = newFiles();
      const log = openLog(files);
      add(log, refused("x", 60_000));
      writeFileSync(fileOf(files, 2), rest);
      const late = openLog(files);
      add(late, reserve("late"));
      log.refresh();
      expect(plain(late.state)).toEqual(plain(log.state));
      addBlindly(files, 1, seal);
      late.refresh();
      expect(late.state.backoff?.until).toBe(noon + 60_000);
      expect(plain(openLog(files).state)).toEqual(plain(late.state));
      expect(readFileSync(fileOf(files, 2), "latin1")).toContain('["begin",');
    }
  });

  const step = fc.record({ who: fc.nat(2), later: fc.nat(300), event: anyEvent });

  it("leads to the same decisions as one that does not, whoever writes", () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 500, maxLength: 700, size: "max" }), (steps) => {
        const files = newFiles();
        let now = 0;
        const clock = () => stamp(now);
        const logs = [0, 1, 2].map(() => new SharedFileLog(files, clock));
        const whole = inMemoryLog(clock);
        for (const { who, later, event: what } of steps) {
          now += later;
          const one = record([now, what]);
          whole.append(one);
          logs[who]?.append(one);
          const own = logs[who] ?? whole;
          for (const log of [own, whole]) expirePermits(log.state, now);
          expect(decide(own.state, now)).toEqual(decide(whole.state, now));
        }
        expect(latestOf(files)).toBeGreaterThan(1);
        for (const log of [...logs, new SharedFileLog(files, clock)]) {
          log.refresh();
          expirePermits(log.state, now);
          for (const ms of [0, 1000, 30_000]) {
            for (const asker of [{}, { despite503: true }])
              expect(decide(log.state, now + ms, asker)).toEqual(
                decide(whole.state, now + ms, asker),
              );
          }
          expect([log.state.strikes, log.state.lastObserved]).toEqual([
            whole.state.strikes,
            whole.state.lastObserved,
          ]);
        }
      }),
      { numRuns: 20, endOnFailure: true },
    );
  });
});

describe("the size of a log", () => {
  it("stays small even if thousands of permits stay open", () => {
    const files = newFiles();
    const logs = [0, 1, 2].map(() => openLog(files));
    let most = 0;
    for (let turn = 0; turn < 3000; turn += 1) {
      const log = logs[turn % 3] ?? openLog(files);
      add(log, turn % 3 === 0 ? probe(`p${turn}`) : reserve(`r${turn}`));
      if (turn % 10 === 0) most = Math.max(most, bytesIn(files));
    }
    expect(most).toBeLessThan(100_000);
    const { permits, uncounted } = openLog(files).state;
    expect(permits.size + uncounted.count).toBe(3000);
    expect(permits.has("r2999")).toBe(true);
  });
});

describe("a log whose files are touched while it is open", () => {
  it.each<[string, (file: string) => void]>([
    ["truncated", (file) => truncateSync(file, 0)],
    ["removed", (file) => rmSync(file)],
    ["removed", (file) => rmSync(path.dirname(file), { recursive: true })],
  ])("fails if they were %s, and keeps what it knows", (what, harm) => {
    const files = newFiles();
    const log = openLog(files);
    add(log, refused("x", 60_000));
    work(log, fullFile);
    harm(fileOf(files, latestOf(files)));
    expect(() => add(log, reserve("a"))).toThrow(`was ${what}`);
    expect(log.state.backoff?.until).toBe(noon + 60_000);
    add(openLog(files), reserve("later"));
    expect(openLog(files).state.permits.has("later")).toBe(true);
  });
});

describe("a log that contains something else", () => {
  const word = fc.oneof(
    fc.constantFrom("begin", "reserve", "seal", "boot", "uncounted", "block"),
    fc.string(),
  );
  const row = fc.array(fc.oneof(word, fc.maxSafeInteger(), fc.double(), fc.jsonValue()));
  const begin = fc.array(row).map((rows) => ["begin" as unknown].concat(rows));
  const number = fc.oneof(fc.maxSafeInteger(), fc.nat(2 ** 21));
  const shaped = fc
    .tuple(
      fc.constantFrom(..."reserve probe alive lost reply limits uncounted block seal".split(" ")),
      word,
    )
    .chain(([kind, boot]) =>
      fc.array(fc.oneof(number, word)).map((rest) => [kind, boot, noon, noon].concat(rest)),
    );
  const text = fc.oneof(row, begin, shaped, fc.jsonValue()).map((value) => JSON.stringify(value));
  const bytes = fc.uint8Array({ maxLength: 3000, size: "max" }).map((some) => Buffer.from(some));
  const content = fc.oneof(
    fc.array(text, { maxLength: 60, size: "max" }).map((lines) => Buffer.from(lines.join("\n"))),
    bytes,
  );

  it("is still used, and grows no more than usual", { timeout: 180_000 }, () => {
    fc.assert(
      fc.property(fc.array(content, { minLength: 1, maxLength: 3 }), (contents) => {
        const files = newFiles();
        mkdirSync(files.folder, { recursive: true });
        for (const [place, one] of contents.entries()) writeFileSync(fileOf(files, place + 1), one);
        const [a, b] = [openLog(files), openLog(files)];
        add(a, reserve("ours"));
        add(b, lost("ours"));
        add(b, reserve("theirs"));
        a.refresh();
        expect(a.state.permits.has("theirs")).toBe(true);
        expect(plain(b.state)).toEqual(plain(a.state));
        work(a, fullFile);
        expect(openLog(files).state.permits.has("theirs")).toBe(true);
        expect(bytesIn(files)).toBeLessThan(60_000);
      }),
      { numRuns: 60, endOnFailure: true },
    );
  });
});

describe("a log from before the machine was restarted", () => {
  it("keeps back-offs and windows by the clock, even over a rotation", () => {
    const files = newFiles();
    const before = openLog(files);
    add(before, refused("x", 60_000));
    add(before, ok("y", 3, 90_000));
    // 10 s later, of which the new start took 9.
    const now = { boot: "another", uptime: 1000, wall: stamp(noon + 10_000).wall };
    const log = new SharedFileLog(files, () => now);
    expect(log.state.backoff?.until).toBe(now.uptime + 50_000);
    expect(log.state.windows[0]?.endsAt).toBe(now.uptime + 80_000);
    addBlindly(files, 1, seal);
    log.refresh();
    expect(log.state.backoff?.until).toBe(now.uptime + 50_000);
    const third = { boot: "third", uptime: 70, wall: now.wall + 20_000 };
    expect(new SharedFileLog(files, () => third).state.backoff?.until).toBe(third.uptime + 30_000);
  });
});
