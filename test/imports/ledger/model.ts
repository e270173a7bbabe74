// What imports promise, whatever happens to their sends and processes. A store has animals, and those that a send whose
// reply was lost may still add; a file asks for animals; a run tells what became of its rows. Animals of one name are
// counted, not followed: each one that was added, or may have been, stands for one row of any file. A key belongs to a
// name here, and a name to a category.
import type { PetStatus } from "../../../src/core/pet-fields.ts";

export interface Animal {
  /** In any Unicode form, with or without blanks around it. */
  readonly name: string;
  readonly status?: PetStatus | undefined;
}

/** A row of a file; its key is that of an animal of this name. */
export type AskedRow = Animal & { readonly key?: string | undefined };

/** One animal that a run is about to POST. */
export interface Send {
  readonly store: string;
  /** The text of its file. */
  readonly file: string;
  readonly name: string;
  /** With which flag the run was told to send it: with `retry` it may have been sent before. */
  readonly by: "again" | "retry" | "plain";
  /** Whether it added the animal, or will within a minute. */
  isKept: boolean;
  /** Whether its run cannot know how it ended: the reply was lost, the process killed, or the disk stayed full. */
  isDoubtful: boolean;
}

/** What is told of a row, or recorded of it. */
export interface ToldRow {
  readonly row: AskedRow;
  readonly outcome: string;
  readonly id?: string | undefined;
}

export const nameOf = ({ name }: Pick<Animal, "name">): string => name.normalize("NFC").trim();

/** Returns how many of these there are of each name. */
function countNames(animals: readonly Pick<Animal, "name">[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of animals.map(nameOf)) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

const countOf = (animals: readonly Pick<Animal, "name">[], name: string): number =>
  animals.filter((animal) => nameOf(animal) === name).length;

/** The reference: knows what every store holds and every file asked for, but nothing of how imports are recorded. */
export class Reference {
  /** What a store gives an animal without a status. */
  readonly #given: Animal["status"];
  /** What the stores hold, by id: one that comes late is here from its send on. */
  readonly #pets = new Map<string, Animal & { readonly store: string }>();
  readonly sends: Send[] = [];
  readonly #files = new Map<string, Set<readonly AskedRow[]>>();
  /** Animals that may be added once more: their import was forgotten, or its store never told its id. */
  readonly #freed: { readonly store: string; readonly name: string }[] = [];

  constructor(given: Animal["status"]) {
    this.#given = given;
  }

  /** A run of a file begins at a store. */
  ran(store: string, rows: readonly AskedRow[]): void {
    this.#files.set(store, (this.#files.get(store) ?? new Set()).add(rows));
  }

  kept(id: string, pet: Animal, store: string): void {
    this.#pets.set(id, { ...pet, store });
  }

  freed(store: string, names: readonly string[]): void {
    this.#freed.push(...names.map((name) => ({ store, name })));
  }

  petsOf(store: string): readonly Animal[] {
    return [...this.#pets.values()].filter((pet) => pet.store === store);
  }

  names(): readonly string[] {
    return [...countNames([...this.#files.values()].flatMap((files) => [...files].flat())).keys()];
  }

  /** Returns how many animals of a name the files at a store ask for: as many as one of them has, and each key. */
  asked(store: string, name: string): number {
    const files = [...(this.#files.get(store) ?? [])];
    const rows = files.map((file) => file.filter((row) => nameOf(row) === name));
    const keys = new Set(rows.flat().flatMap(({ key }) => key ?? []));
    return keys.size + Math.max(0, ...rows.map((of) => of.filter(({ key }) => !key).length));
  }

  #keptOf(store: string, name: string): readonly Send[] {
    return this.sends.filter(
      (send) => send.isKept && send.store === store && nameOf(send) === name,
    );
  }

  /**
   * Returns how many may be there that are no row's: sent by `--retry-unknown` but there already, or freed. A file may send
   * what it sent itself as often as it is told to; what other files sent, all of them together once.
   */
  #spare(store: string, name: string): number {
    const kept = this.#keptOf(store, name);
    const retried = kept.filter(({ by }) => by === "retry");
    const isOwn = (send: Send) =>
      this.sends
        .slice(0, this.sends.indexOf(send))
        .some(
          (earlier) => earlier.isDoubtful && earlier.file === send.file && nameOf(earlier) === name,
        );
    const own = retried.filter(isOwn).length;
    const doubtful = kept.filter(({ isDoubtful }) => isDoubtful).length;
    const freed = this.#freed.filter((each) => each.store === store && each.name === name);
    return own + Math.min(retried.length - own, doubtful) + freed.length;
  }

  /** Returns how many may be there at most: what files ask for, what is spare, and what `--again` sent, or may have. */
  most(store: string, name: string): number {
    const again = this.sends.filter(
      (send) => send.by === "again" && send.store === store && nameOf(send) === name,
    );
    const sent = again.filter(({ isKept, isDoubtful }) => isKept || isDoubtful).length;
    return this.asked(store, name) + this.#spare(store, name) + sent;
  }

  /** Returns what is wrong with a store: no more of an animal may be there than was asked for. */
  tooMany(store: string): readonly string[] {
    return this.names().flatMap((name) => {
      const [there, most] = [countOf(this.petsOf(store), name), this.most(store, name)];
      return there > most ? [`too many: ${there} ${name} at ${store}, at most ${most}`] : [];
    });
  }

  /** Returns which animals of a file are not at a store: none may be missing after exit 0. `seen`: those there now. */
  missing(rows: readonly AskedRow[], seen: readonly Animal[], what = "exit 0"): readonly string[] {
    return [...countNames(rows)].flatMap(([name, wanted]) => {
      const there = countOf(seen, name);
      return there < wanted ? [`${what}, but of ${wanted} ${name} ${there} are there`] : [];
    });
  }

  /** Returns what is not true of what is told about the rows of one file, in results or on standard output. */
  untrue(told: readonly ToldRow[], store: string): readonly string[] {
    const ids = told.flatMap(({ id }) => id ?? []);
    const twice = ids.filter((id, at) => ids.indexOf(id) < at);
    const unknown = told.filter(({ outcome }) => outcome === "unknown").map(({ row }) => row);
    const doubtful = this.sends.filter(({ isDoubtful }) => isDoubtful);
    const unfounded = [...countNames(unknown)].filter(([name, n]) => n > countOf(doubtful, name));
    return [
      ...twice.map((id) => `one id for two rows: ${id}`),
      ...told.flatMap((each) => this.#wrongId(each, store)),
      ...unfounded.map(([name, n]) => `${n} ${name} unknown, but it is known how they ended`),
    ];
  }

  /** Returns which animals that the runs of a file added, or may have, its results tell neither as added nor as unknown. */
  untold(told: readonly ToldRow[], store: string, file: string): readonly string[] {
    const open = told.filter(({ outcome }) => outcome === "added" || outcome === "unknown");
    const rows = open.map(({ row }) => row);
    return this.names().flatMap((name) => {
      const sends = this.sends.filter((send) => send.store === store && nameOf(send) === name);
      // Equal animals of several files may stand for each other, and one that was sent again for two.
      const isOwn = sends.every((send) => send.file === file && send.by === "plain");
      if (!isOwn || this.#spare(store, name) > 0) return [];
      const kept = sends.filter(({ isKept }) => isKept).length;
      const isTold = kept <= countOf(rows, name);
      return isTold ? [] : [`${kept} ${name} added, or will be, but ${rows.length} are told`];
    });
  }

  /** An added row has the id of its animal, a known or changed one that of an animal of its name. */
  #wrongId({ row, outcome, id }: ToldRow, store?: string): readonly string[] {
    if (id === undefined) return [];
    const pet = this.#pets.get(id);
    const isOwn =
      pet !== undefined && nameOf(pet) === nameOf(row) && pet.store === (store ?? pet.store);
    // One that is spare may be taken for that of a row without a status.
    const isSpare = row.status === undefined && isOwn && this.#spare(pet.store, nameOf(row)) > 0;
    const isStatus = pet?.status === (row.status ?? this.#given) || isSpare;
    const isSame = isOwn && (outcome !== "added" || isStatus);
    const is = pet && `${pet.name} ${pet.status} at ${pet.store}`;
    return isSame ? [] : [`${row.name} ${row.status} is ${outcome} as ${id}, which is ${is}`];
  }

  /** Returns what is wrong with all that is recorded: each animal that is there, or may be, must be that of one row. */
  unrecorded(recorded: readonly ToldRow[]): readonly string[] {
    const added = recorded.filter(({ outcome }) => outcome === "added");
    const ids = added.flatMap(({ id }) => id ?? []);
    const open = recorded.filter(({ outcome }) => outcome === "added" || outcome === "unknown");
    return [
      ...ids.filter((id, at) => ids.indexOf(id) < at).map((id) => `${id} is that of two rows`),
      ...added.flatMap((each) => this.#wrongId(each)),
      ...this.names().flatMap((name) => {
        const kept = this.sends.filter((send) => send.isKept && nameOf(send) === name).length;
        const spare = [...this.#files.keys()].reduce(
          (sum, store) => sum + this.#spare(store, name),
          0,
        );
        const accounted = countOf(
          open.map(({ row }) => row),
          name,
        );
        const isLost = kept > accounted + spare;
        return isLost ? [`${kept} ${name} added, or will be, but ${accounted} are recorded`] : [];
      }),
    ];
  }

  /** Returns what is wrong at a store once all is settled: its animals and the recorded ids must be the same. */
  unsettled(recorded: readonly ToldRow[], store: string): readonly string[] {
    const ids = new Set(recorded.flatMap(({ outcome, id }) => (outcome === "added" && id) || []));
    const strays = [...this.#pets].filter(([id, pet]) => pet.store === store && !ids.has(id));
    const ofNames = countNames(strays.map(([, pet]) => pet));
    return [...ofNames].flatMap(([name, count]) => {
      const unknown = recorded.filter(
        (each) => each.outcome === "unknown" && nameOf(each.row) === name,
      );
      // Of those that stay unknown, no list can tell which one it is.
      const isSaid = count <= this.#spare(store, name) + unknown.length;
      return isSaid ? [] : [`${count} ${name} at ${store} are recorded nowhere`];
    });
  }
}
