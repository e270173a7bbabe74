import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ListQuery } from "../../../src/client/types.ts";
import type { Pet } from "../../../src/core/pet.ts";
import type { ImportDatabase } from "../../../src/imports/database/database.ts";
import { fingerprint } from "../../../src/imports/database/fingerprint.ts";
import {
  listImports,
  readImport,
  recordedRows,
  removeImports,
} from "../../../src/imports/database/import-records.ts";
import { matchEqual, settleUnknown } from "../../../src/imports/run/settle.ts";
import { testMachine } from "../../support/command/machine.ts";
import { temporaryFolder } from "../../support/program/program.ts";
import { statesOf, wordPets, wordRows } from "../support/animals.ts";
import { testImport } from "../support/run.ts";

const shown = (text: string, first = 1): Pet[] =>
  wordPets(text).map((pet, i) => Object.assign(pet, { id: BigInt(i + first) }));

/** Returns for each own row, in their order, the id of its animal, `?` if it may be one, and `-` if it is none. */
function matched(own: string, others: string, pets: string): string {
  const rows = [own, others].flatMap((text, i) =>
    wordRows(text).map(({ pet, index }) => {
      const isOwn = i === 0 ? 1 : 0;
      return { import: i, number: index, status: pet.status ?? "", isOwn } as const;
    }),
  );
  const ends = new Map(matchEqual(rows, shown(pets)).map(({ row, pet }) => [row.number, pet]));
  return wordRows(own)
    .map(({ index }) => (ends.has(index) ? `${ends.get(index)?.id ?? "?"}` : "-"))
    .join(" ");
}

it.each([
  ["Rex:sold", "", "Rex:sold", "1"],
  ["Rex:sold", "", "Rex:pending", "-"],
  ["Rex", "", "Rex:pending", "1"],
  ["Rex:sold", "", "Rex", "-"],
  ["Rex Rex", "", "Rex", "1 -"],
  ["Rex Rex", "", "Rex Rex Rex", "1 2"],
  ["Rex Rex:sold", "", "Rex:sold", "- 1"],
  ["Rex Rex:sold", "", "Rex Rex:sold", "1 2"],
  ["", "", "Rex", ""],
  // Rows of other imports may be the same animals.
  ["Rex", "Rex", "Rex", "?"],
  ["Rex", "Rex", "Rex Rex", "1"],
  ["Rex", "Rex", "", "-"],
  ["Rex Rex", "Rex", "Rex", "? -"],
  ["Rex:sold", "Rex:pending", "Rex:sold", "1"],
  // The service may have given one without a status any.
  ["Rex:sold", "Rex", "Rex:sold", "?"],
  ["Rex", "Rex:sold", "Rex:sold", "?"],
  ["Rex", "Rex:sold", "Rex:sold Rex:available", "2"],
  ["Rex", "Rex:pending Rex:sold", "Rex:pending Rex:sold Rex:available", "3"],
  ["Rex Rex:sold", "Rex:sold", "Rex:sold Rex:sold", "? 1"],
  ["Rex:sold", "Rex Rex:sold", "Rex:sold Rex:sold Rex:available", "?"],
])("matches %j, beside %j of others, with the animals %j: %j", (own, others, pets, expected) => {
  expect(matched(own, others, pets)).toBe(expected);
});

it("takes no more rows for not added than were not, in whatever order imports are settled", () => {
  const status = fc.constantFrom("", "pending", "sold");
  // A row without a status gets that of the service.
  const row = fc.record({ import: fc.nat(2), status, given: status, isAdded: fc.boolean() });
  fc.assert(
    fc.property(
      fc.array(row, { maxLength: 6 }),
      fc.array(fc.nat(2), { maxLength: 6 }),
      (all, order) => {
        const [lost, added] = [new Set<number>(), new Map<number, bigint>()];
        const animals = all
          .filter(({ isAdded }) => isAdded)
          .map((each) => `Rex:${each.status || each.given}`.replace(/:$/, ""));
        for (const own of order) {
          const taken = new Set(added.values());
          const pets = shown(animals.join(" ")).filter(({ id }) => !taken.has(id));
          const rows = [...all.entries()]
            .filter(([number]) => !added.has(number) && !lost.has(number))
            .map(([number, each]) => {
              const isOwn = each.import === own ? 1 : 0;
              return { import: each.import, number, status: each.status, isOwn } as const;
            });
          const ends = new Map(matchEqual(rows, pets).map((end) => [end.row.number, end.pet]));
          for (const { number, isOwn } of rows) {
            const pet = ends.get(number);
            if (pet !== undefined) added.set(number, pet.id);
            else if (isOwn && !ends.has(number)) lost.add(number);
          }
        }
        expect(lost.size).toBeLessThanOrEqual(all.length - animals.length);
      },
    ),
    { numRuns: 2000 },
  );
});

/** An import: names with a status or without, the letters of their states, and what else differs. */
type Recorded = readonly [
  text: string,
  ends: string,
  more?: { address?: string; store?: string | undefined },
];

interface Moment {
  readonly uptime?: number;
  readonly now?: number;
  readonly boot?: string;
  readonly tickMs?: number;
}

interface SettleOptions {
  readonly own?: readonly number[];
  /** The id of the store that responds. */
  readonly store?: string | undefined;
  /** The import that is forgotten before. */
  readonly forget?: number;
}

const late: Moment = { uptime: 1e6 };

/** Records imports, whose last row was sent at an uptime of a second at 0, and settles some at a moment, by these lists. */
async function settle(
  recorded: readonly Recorded[],
  list: string | ((query: ListQuery) => readonly Pet[]),
  { uptime = 1000, now = 0, boot = "testboot", tickMs = 10 }: Moment = late,
  { own = [1], store, forget }: SettleOptions = {},
) {
  const folder = temporaryFolder();
  let database: ImportDatabase | undefined;
  for (const [at, [text, ends, more = {}]] of recorded.entries()) {
    const { store: id, ...place } = more;
    const begun = await testImport(wordRows(text), statesOf(ends), {
      folder,
      input: `${at}`,
      ...place,
    });
    database = begun.database;
    const update = "UPDATE imports SET boot = 'testboot', sentAt = 1000, store = ? WHERE id = ?";
    database.run(update, id ?? null, begun.record.id);
  }
  if (database === undefined) throw new Error("no import");
  if (forget !== undefined) await removeImports(database, [forget]);
  const machine = testMachine({ monotonic: () => uptime }, { bootId: () => boot, tickMs });
  const api = {
    list: async (query: ListQuery) => (typeof list === "string" ? shown(list) : list(query)),
  };
  const time = { clock: { now: () => now }, machine };
  const imports = own.map((id) => readImport(database, id));
  const parts = { api, database, time, storeId: () => store };
  const { added, pending, settledAt } = await settleUnknown(parts, imports);
  const states = listImports(database)
    .toReversed()
    .map((each) =>
      recordedRows(database, each, 0, 99)
        .map(({ state }) => state)
        .join(" "),
    );
  const ids = added.map(({ row, pet }) => `${row.import}.${row.number}=${pet.id}`);
  return { database, states, ids, pending, settledAt };
}

describe("settleUnknown", () => {
  it.each<[string, Recorded[], string, string[], string[]]>([
    ["all are told", [["Rex Mia Leo", "sss"]], "Mia", ["1.1=1"], ["unsent added unsent"]],
    ["other states stay", [["Rex Rex Rex", "ar."]], "Rex Rex", [], ["added rejected unsent"]],
    ["names in another Unicode form", [["Zo\u00EB", "s"]], "Zoe\u0308", ["1.0=1"], ["added"]],
    [
      "in doubt with another import",
      [
        ["Rex", "s"],
        ["Rex", "s"],
      ],
      "Rex",
      [],
      ["sent", "sent"],
    ],
    [
      "a status of its own",
      [
        ["Rex:sold", "s"],
        ["Rex", "s"],
      ],
      "Rex:sold",
      [],
      ["sent", "sent"],
    ],
    [
      "none of its own",
      [
        ["Rex", "s"],
        ["Rex:sold", "s"],
      ],
      "Rex:sold",
      [],
      ["sent", "sent"],
    ],
    [
      "another status",
      [
        ["Rex:sold", "s"],
        ["Rex:pending", "s"],
      ],
      "Rex:sold",
      ["1.0=1"],
      ["added", "sent"],
    ],
    [
      "enough for both",
      [
        ["Rex", "s"],
        ["Rex", "s"],
      ],
      "Rex Rex",
      ["1.0=1"],
      ["added", "sent"],
    ],
    [
      "in doubt with one at another address",
      [
        ["Rex", "s"],
        ["Rex", "s", { address: "elsewhere" }],
      ],
      "Rex",
      ["1.0=1"],
      ["added", "sent"],
    ],
  ])("settles by the lists: %s", async (_what, recorded, list, ids, states) => {
    const settled = await settle(recorded, list);
    expect(settled).toMatchObject({ ids, states, pending: 0 });
  });

  it("gives no row an animal that a row of any import was added as", async () => {
    const pets = shown("Rex", 200);
    const settled = await settle(
      [
        ["Rex", "s"],
        ["Rex", "a"],
      ],
      () => pets,
    );
    expect(settled).toMatchObject({ ids: [], states: ["unsent", "added"] });
    // It is another animal in another store.
    const other: Recorded[] = [
      ["Rex", "s", { store: "a" }],
      ["Rex", "a", { store: "b" }],
    ];
    const elsewhere = await settle(other, () => pets, late, { store: "a" });
    expect(elsewhere).toMatchObject({ ids: ["1.0=200"], states: ["added", "added"] });
  });

  it.each<[string, Recorded[], string, string[], string[]]>([
    [
      "twins",
      [
        ["Rex", "s"],
        ["Rex", "s"],
      ],
      "Rex",
      ["1.0=1"],
      ["added", "unsent"],
    ],
    [
      "with and without a status",
      [
        ["Rex", "s"],
        ["Rex:sold", "s"],
      ],
      "Rex:sold",
      ["2.0=1"],
      ["unsent", "added"],
    ],
  ])("settles rows of several imports jointly: %s", async (_what, recorded, list, ids, states) => {
    expect(await settle(recorded, list, late, { own: [1, 2] })).toMatchObject({ ids, states });
  });

  it("leaves an animal to a row of another import that no other may be", async () => {
    const recorded: Recorded[] = [
      ["Rex", "s"],
      ["Rex:pending", "s"],
    ];
    const settled = await settle(recorded, "Rex:pending Rex:sold");
    expect(settled).toMatchObject({ ids: ["1.0=2"], states: ["added", "sent"] });
  });

  it("finds what version 5 recorded of a name as it was written", async () => {
    const { database, record } = await testImport(wordRows("Zoe\u0308"), statesOf("s"));
    const [pet] = shown("Zoe\u0308") as [Pet];
    database.run("UPDATE prints SET print = ?", fingerprint(pet).old?.print ?? null);
    const time = { clock: { now: () => 1e6 }, machine: testMachine({ monotonic: () => 1e6 }) };
    const api = { list: async () => [pet] };
    await settleUnknown({ api, database, time, storeId: () => undefined }, [record]);
    expect(recordedRows(database, record, 0, 1)).toMatchObject([{ state: "added", id: "1" }]);
  });

  it("does not wait for an import that is forgotten", async () => {
    const recorded: Recorded[] = [
      ["Rex", "s"],
      ["Rex", "s"],
    ];
    expect(await settle(recorded, "Rex", late, { forget: 2 })).toMatchObject({ states: ["added"] });
  });

  it.each<[string, Moment, string, number]>([
    ["right away", {}, "sent", 60_010],
    ["before a minute", { uptime: 61_009, now: 60_009 }, "sent", 60_010],
    ["after a minute", { uptime: 61_010, now: 60_010 }, "unsent", 0],
    ["as clocks go in steps", { uptime: 61_999, tickMs: 1000 }, "sent", 1],
    ["the time of day has jumped ahead", { uptime: 2000, now: 1e9 }, "sent", 1e9 + 59_010],
    ["the time of day has jumped back", { uptime: 61_010, now: -1e9 }, "unsent", 0],
    ["just after a restart", { boot: "new", uptime: 5000, now: 1e9 }, "sent", 1e9 + 55_000],
    ["a minute after a restart", { boot: "new", uptime: 60_000, now: 1e9 }, "unsent", 0],
    ["after one that took its clock back", { boot: "new", uptime: 60_000, now: -1e9 }, "unsent", 0],
    ["after one, before a minute", { boot: "new", uptime: 1e6, now: 59_999 }, "sent", 60_000],
    ["after one that is not told", { uptime: 900, now: 1e9 }, "sent", 1e9 + 59_100],
  ])(
    "counts a row that no list shows as not sent when that is a minute ago: %s",
    async (_what, moment, state, until) => {
      const settled = await settle([["Rex", "s"]], "Mia", moment);
      expect(settled).toMatchObject({ states: [state], settledAt: until });
      expect(settled.pending).toBe(state === "sent" ? 1 : 0);
      expect((await settle([["Rex", "s"]], "Rex", moment)).states).toEqual(["added"]);
    },
  );

  it.each<[string, string, string[], string[]]>([
    ["Rex:sold", "Rex:pending", ["unsent"], [" ", "sold"]],
    ["Rex:sold", "Rex:sold", ["added"], [" ", "sold"]],
    ["Rex", "Rex:sold", ["added"], [" ", "available", "pending", "sold"]],
    // One without a status may be in no list.
    ["Rex", "Mia", ["sent"], [" ", "available", "pending", "sold"]],
    ["Rex:available", "Mia", ["sent"], [" ", "available"]],
  ])(
    "of a large store, settles %j with %j by the lists of a status",
    async (text, last, states, asked) => {
      const many = shown(Array.from({ length: 100 }, () => "Other:available").join(" "));
      const [pet] = shown(last, 900) as [Pet];
      const queries: string[] = [];
      const settled = await settle([[text, "s"]], ({ status }) => {
        queries.push(status ?? " ");
        if (status === undefined || status === "available") return many;
        return pet.status === status ? [pet] : [];
      });
      expect(settled.states).toEqual(states);
      expect(queries).toEqual(asked);
    },
  );

  it.each<[string | undefined, string | undefined]>([
    ["a", "a"],
    ["a", undefined],
    [undefined, "b"],
  ])("settles an import to the store %s by the lists of %s", async (store, storeId) => {
    const recorded: Recorded[] = [["Rex", "s", { store }]];
    const settled = await settle(recorded, "Rex", late, { store: storeId });
    expect(settled.states).toEqual(["added"]);
  });

  it("settles none by the lists of another store", async () => {
    const settled = settle([["Rex", "s", { store: "a" }]], "Rex", late, { store: "b" });
    await expect(settled).rejects.toThrow("another store responded at shop.example");
  });
});
