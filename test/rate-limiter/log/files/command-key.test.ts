import { readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import {
  lastCommandKeyLog,
  commandKeyLog,
} from "../../../../src/rate-limiter/log/files/command-key.ts";
import { logName, pruneStale } from "../../../../src/rate-limiter/log/files/segment-paths.ts";
import { readState } from "../../../../src/rate-limiter/log/files/segment.ts";
import { temporaryFolder } from "../../../support/program/program.ts";
import { add, noon, openLog } from "../../support/files.ts";
import { ok, refused, stamp } from "../../support/records.ts";

const origin = "https://shop.example";
const keyCommand = { from: "the key command of profile main", command: "pass pets" };
const shared = logName(origin, keyCommand.from);

/** A folder, and the names of the logs of keys that the command prints there one after the other. */
function setUp() {
  const folder = temporaryFolder();
  const print = (apiKey: string, more = keyCommand) =>
    commandKeyLog(folder, { origin, apiKey, keyCommand: more }, () => stamp(noon), 10);
  const files = () => readdirSync(folder).filter((name) => name.startsWith("command-"));
  const file = () => path.join(folder, files()[0] ?? "");
  return { folder, print, files, file };
}

const own = (key: string): string => logName(origin, key);

describe("the log of a key that a command prints", () => {
  it.each<[string, string[], string]>([
    ["that of the key at first", ["a"], own("a")],
    ["that of the key if it is the same each time", ["a", "a", "a"], own("a")],
    ["that of the profile once it is another", ["a", "b"], shared],
    ["that of the profile as long as it is another each time", ["a", "b", "c", "a"], shared],
    ["that of the key once it was replaced", ["a", "b", "b"], own("b")],
    ["that of the profile after a replaced key", ["a", "b", "b", "c"], shared],
  ])("is %s", (_name, keys, expected) => {
    const { print } = setUp();
    expect(keys.map((key) => print(key)).at(-1)).toBe(expected);
  });

  it("is told apart by command and profile", () => {
    const { print, files } = setUp();
    const sources = [keyCommand, { ...keyCommand, command: "b" }, { ...keyCommand, from: "c" }];
    for (const source of sources) expect(print(own(source.from), source)).not.toBe(shared);
    expect(files()).toHaveLength(3);
  });

  it("begins with the limits and the wait of the former key", () => {
    const { folder, print } = setUp();
    const log = openLog({ folder, name: print("a") });
    add(log, ok("x", 7));
    add(log, refused("y", 9000));
    expect(readState({ folder, name: print("b") }, stamp(noon))).toMatchObject({
      windows: [{ limit: 10, remaining: 7 }],
      backoff: { status: 429, until: noon + 9010 },
    });
  });

  it("goes back to that of a key with what it learned meanwhile", () => {
    const { folder, print } = setUp();
    print("a");
    add(openLog({ folder, name: print("b") }), refused("y", 9000));
    const name = print("b");
    expect(name).toBe(own("b"));
    expect(readState({ folder, name }, stamp(noon))?.backoff?.until).toBe(noon + 9010);
  });

  it("is known without the command", () => {
    const { folder, print } = setUp();
    expect(lastCommandKeyLog(folder, origin, keyCommand)).toBeUndefined();
    for (const key of ["a", "b", "b", "c"])
      expect(print(key)).toBe(lastCommandKeyLog(folder, origin, keyCommand));
  });

  it("keeps what it has", () => {
    const { folder, print } = setUp();
    add(openLog({ folder, name: shared }), refused("x", 60_000));
    add(openLog({ folder, name: print("a") }), refused("y", 9000));
    const state = readState({ folder, name: print("b") }, stamp(noon));
    expect(state?.backoff?.until).toBe(noon + 60_000);
  });
});

describe("the file that has its name", () => {
  it("is private, and holds nothing of the keys", () => {
    const { print, file } = setUp();
    for (const key of ["secret-a", "secret-b"]) {
      print(key);
      expect(readFileSync(file(), "utf8")).toMatch(/^[\da-f]{32} [\da-f]{32}$/);
      expect(statSync(file()).mode & 0o777).toBe(0o600);
    }
  });

  it("is not removed while it is used", () => {
    const { folder, print, file, files } = setUp();
    const { wall } = stamp(noon);
    const old = wall / 1000 - 3 * 24 * 60 * 60;
    const prune = () => pruneStale({ folder, name: "other" }, files(), wall);
    for (const key of ["a", "a", "b", "c"]) {
      print(key);
      prune();
      expect(files()).toHaveLength(1);
      utimesSync(file(), old, old);
    }
    prune();
    expect(files()).toEqual([]);
  });

  it.each(["", "abc", "../../../../../etc/passwd-or-another", "z".repeat(5000)])(
    "counts as new if it has %j",
    (text) => {
      const { print, file } = setUp();
      print("a");
      writeFileSync(file(), text);
      expect([print("b"), print("b"), print("c")]).toEqual([own("b"), own("b"), shared]);
    },
  );
});
