import { describe, expect, it } from "vitest";
import { readFaultOptions } from "../../../../src/commands/serve/settings/lab-options.ts";
import type { ServeOptions } from "../../../../src/commands/serve/settings/options.ts";

const untroubled = { shares: new Map(), latency: { ms: 0, jitter: 0 }, faultSeed: 1 };

describe("readFaultOptions", () => {
  it.each<[ServeOptions, boolean, object | undefined]>([
    [{}, false, undefined],
    [{ data: "x.db" }, false, undefined],
    [{ lab: true }, false, untroubled],
    [{ lab: true, data: "x.db" }, false, untroubled],
    [{ memory: true }, false, untroubled],
    [{}, true, untroubled],
    [{ data: "x.db" }, true, untroubled],
    [{ data: "postgres://h/d" }, true, undefined],
    [{ memory: true, fault: "429:0.1" }, false, { ...untroubled, shares: new Map([["429", 0.1]]) }],
    [{ latency: "100+-50" }, true, { ...untroubled, latency: { ms: 100, jitter: 50 } }],
    [{ lab: true, faultSeed: 0 }, false, { ...untroubled, faultSeed: 0 }],
  ])("%j, with a command: %s", (options, hasCommand, expected) => {
    expect(readFaultOptions(options, hasCommand)).toEqual(expected);
  });

  it.each<[ServeOptions, boolean, string]>([
    [{ fault: "429:0.1" }, false, "--fault needs --lab"],
    [{ latency: "1", data: "x.db" }, false, "--latency needs --lab"],
    [{ faultSeed: 1 }, false, "--fault-seed needs --lab"],
    [{ lab: true, data: "postgres://h/d" }, false, "--lab cannot be used with PostgreSQL"],
    [{ lab: true, data: "postgresql://h/d" }, true, "--lab cannot be used with PostgreSQL"],
    [{ fault: "429:1", data: "POSTGRES://h/d" }, true, "--fault cannot be used with PostgreSQL"],
    [{ fault: "", memory: true }, false, "--fault '' is invalid. It must be KIND:P"],
    [{ fault: "429:2" }, true, "--fault '429:2' is invalid. It must be KIND:P"],
    [{ latency: "" }, true, "--latency '' is invalid. It must be MS or MS±MS"],
    [{ latency: "1s" }, true, "--latency '1s' is invalid. It must be MS or MS±MS"],
  ])("refuses %j, with a command: %s", (options, hasCommand, message) => {
    const read = () => readFaultOptions(options, hasCommand);
    expect(read).toThrow(message);
    expect(read).toThrow(expect.objectContaining({ kind: "usage" }));
  });
});
