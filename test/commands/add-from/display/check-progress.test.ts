import { expect, it } from "vitest";
import { openCheckProgress } from "../../../../src/commands/add-from/display/check-progress.ts";
import { settingsWith } from "../../../config/support/settings.ts";
import { turn } from "../../../imports/support/run.ts";
import { fakeClock, recordOutput, screenLines } from "../../../support/command/terminal.ts";

function check({ isTTY = true, quiet = false } = {}) {
  const stderr = recordOutput({ isTTY, columns: 40 });
  const clock = fakeClock();
  const settings = settingsWith({ quiet });
  const progress = openCheckProgress({ stderr, clock, env: {}, settings }, "big.csv");
  const add = async (rows: number, afterMs: number): Promise<string[]> => {
    clock.advance(afterMs);
    progress.add(rows);
    await turn();
    return screenLines(stderr.text, 40);
  };
  return { add, progress, stderr };
}

it("shows the rows that were checked after a second, and clears them", async () => {
  const { add, progress, stderr } = check();
  expect(await add(900, 999)).toEqual([]);
  expect(await add(600, 1)).toEqual(["checking big.csv: 1,500 rows"]);
  expect(await add(600, 199)).toEqual(["checking big.csv: 1,500 rows"]);
  expect(await add(600, 1)).toEqual(["checking big.csv: 2,700 rows"]);
  progress.close();
  expect(screenLines(stderr.text, 40)).toEqual([]);
});

it.each([{ isTTY: false }, { quiet: true }])("shows nothing with %j", async (options) => {
  const { add, progress, stderr } = check(options);
  await add(1, 5000);
  progress.close();
  expect(stderr.text).toBe("");
});
