import { expect, it } from "vitest";
import { withoutName } from "../../../src/imports/run/without-name.ts";

it.each<[name: string, message: string, masked: string]>([
  ["Rex", "rex is there, REX too", "… is there, … too"],
  ["Rex", "no", "no"],
  ["Rex", "Rex", "…"],
  ["Rex", "Rex's, Rexes, T-Rex", "…'s, Rexes, T-…"],
  ["Fräulein Müller", "FRÄULEIN MÜLLER? fräulein m…; sorry", "…? …; sorry"],
  ['a"b', 'the name a\\"b, and a"b', "the name …, and …"],
  ["Rex 🐶🐶", "no Rex \uFFFD…", "no …"],
  ["Rex 🐶🐶", "Rex 🐶🐶 is there", "… is there"],
  ["İx", "İX and more", "… and more"],
  [" Bo ", "the name Bo is taken", "the name…is taken"],
  ["  ", "two  blanks", "two…blanks"],
  // Only as a word.
  ["Al", "is invalid", "is invalid"],
  ["Al", "the value of al: Al is invalid", "the value of …: … is invalid"],
  ["Al", "Al1 Al_ él-al", "Al1 …_ él-…"],
  ["Zo", "Zo\u0308 Zo", "Zo\u0308 …"],
  ["12", "status 412, code 12, 12th", "status 412, code …, 12th"],
  ["!", "no! (Rex!)", "no… (Rex…)"],
  ["aa", "aaaa aa", "aaaa …"],
  // Scripts without blanks between words.
  ["小白", "名字小白已存在", "名字…已存在"],
  ["ポチ", "ポチという名前", "…という名前"],
  ["나비", "나비는 이미 있다", "…는 이미 있다"],
  ["ส้ม", "ชื่อส้มซ้ำ", "ชื่อ…ซ้ำ"],
  ["小白", "rex小白rex", "rex…rex"],
  // Cut off within the name.
  ["Fluffy", "the name Flu…", "the name …"],
  ["Fluffy", "the name Fluffy…", "the name …"],
  ["Fluffy", "half…", "half…"],
  ["Fluffy", "f… and (flu…)", "… and (…)"],
  ["小白", "名字小…", "名字…"],
  ["Al", "total…", "total…"],
  ["Al", "total a…", "total …"],
])("of %j, %j is recorded as %j", (name, message, masked) => {
  expect(withoutName(message, name)).toBe(masked);
});

it("searches a long message for a long name in no time", () => {
  const name = "a".repeat(1e4);
  // Of this process, whatever else runs.
  const before = process.cpuUsage();
  expect(withoutName(`${"a ".repeat(1e5)}${name}…`, name)).toMatch(/a …$/);
  expect(process.cpuUsage(before).user).toBeLessThan(5_000_000);
});
