/** A request of a key, and the wait that it was refused with. Times are ms since the epoch. */
interface Refused {
  readonly key: string;
  readonly wait?: { readonly until: number; readonly isBan: boolean } | undefined;
}

/** Ends that differ by at most this, in ms, belong to one ban: they may be by two clocks. */
const sameBanMs = 500;

/** Returns how many bans refused `requests`, which may be in any order. */
export function countBans(requests: Iterable<Refused>): number {
  const refused = [...requests].filter(({ wait }) => wait?.isBan === true);
  const ends = [...Map.groupBy(refused, ({ key }) => key).values()].map((group) =>
    group.map(({ wait }) => wait?.until ?? 0).toSorted((one, other) => one - other),
  );
  return ends.flatMap((each) =>
    each.filter((end, at) => end - (each[at - 1] ?? -Infinity) > sameBanMs),
  ).length;
}
