import type { PetsApi } from "../../../src/client/pets-client.ts";
import type { ApiEvent, ListQuery, SendObserver } from "../../../src/client/types.ts";
import type { ClientOverrides } from "../../../src/commands/service.ts";
import { Failure } from "../../../src/core/errors.ts";
import type { NewPet, Pet } from "../../../src/core/pet.ts";
import type { Animal, Reference, Send } from "./model.ts";
import type { TestProcess } from "./process.ts";

/** What becomes of a POST: its reply is lost where it is kept, lost or late; a late one is added after so many seconds. */
export interface Fate {
  readonly is: "ok" | "busy" | "rejected" | "kept" | "gone" | "late" | "stop";
  /** Turns of the event loop until it arrives, and until it is answered. */
  readonly turns: readonly [number, number];
  readonly seconds: number;
}

const plainFate: Fate = { is: "ok", turns: [0, 0], seconds: 0 };
const pageSize = 100;

const lost = () => new Failure("outcome_unknown", "no reply", { retryable: false });
const refused = () => new Failure("auth", "the key was revoked", { status: 401 });
const invalid = () =>
  new Failure("rejected", "not this one", { status: 422, hasErrorBody: true, retryable: false });

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn <= count; turn += 1) await new Promise(setImmediate);
}

type Stored = Animal &
  Pick<Pet, "id" | "categoryId"> & { readonly store: string; readonly at: number };

/** The service: one address, at which one store or another responds. */
export class Shop {
  store = "store-1";
  readonly #pets: Stored[] = [];
  readonly #reference: Reference;
  readonly #given: Animal["status"];
  readonly #uptime: () => number;

  constructor(reference: Reference, given: Animal["status"], uptime: () => number) {
    this.#reference = reference;
    this.#given = given;
    this.#uptime = uptime;
  }

  /** Returns the animals that are there now, the newest first. */
  pets(): readonly Stored[] {
    const [now, { store }] = [this.#uptime(), this];
    const there = this.#pets.filter((pet) => pet.store === store && pet.at <= now);
    return there.toSorted((a, b) => b.at - a.at || Number(b.id - a.id));
  }

  add(pet: NewPet, seconds = 0): Pet {
    const status = pet.status ?? this.#given;
    const id = BigInt(this.#pets.length + 1);
    const kept = { ...pet, id, ...(status && { status }) };
    this.#pets.push({ ...kept, store: this.store, at: this.#uptime() + seconds * 1000 });
    this.#reference.kept(String(id), kept, this.store);
    return kept;
  }

  record(send: Send): void {
    this.#reference.sends.push(send);
  }
}

/** Returns the client of a process, whose POSTs meet these fates in turn, then go well; all of them come to `sends`. */
export function clientOf(
  shop: Shop,
  process: TestProcess,
  { fates, sends, ...how }: Pick<Send, "by" | "file"> & { fates: readonly Fate[]; sends: Send[] },
) {
  const left = [...fates];
  return ({ signal, onEvent }: ClientOverrides): Pick<PetsApi, "list" | "add"> => {
    const begin = (): void => {
      process.assertAlive();
      if (signal?.aborted) throw signal.reason;
    };
    return {
      async list({ limit = pageSize, status }: ListQuery) {
        begin();
        await turns(0);
        process.assertAlive();
        onEvent?.(replyOf(shop.store));
        const ofStatus = shop.pets().filter((pet) => status === undefined || pet.status === status);
        return ofStatus.slice(0, limit).map(({ store: _store, at: _at, ...pet }) => pet);
      },
      async add(pet: NewPet, observer?: SendObserver) {
        begin();
        const fate = left.shift() ?? plainFate;
        const { store } = shop;
        const send = { ...how, store, name: pet.name, isKept: false, isDoubtful: false };
        sends.push(send);
        shop.record(send);
        await observer?.onSend();
        if (fate.is === "busy") {
          await turns(fate.turns[0]);
          observer?.onReply?.(shop.store);
          observer?.onRefused();
          await observer?.onRetry?.();
          begin();
          await observer?.onSend();
        }
        return post(shop, process, { pet, fate, send, observer });
      },
    };
  };
}

const replyOf = (storeId: string): ApiEvent => ({
  type: "reply",
  status: 200,
  ms: 1,
  limits: {},
  storeId,
});

interface Post {
  readonly pet: NewPet;
  readonly fate: Fate;
  readonly send: Send;
  readonly observer: SendObserver | undefined;
}

/** What the service does with a POST that was recorded. */
async function post(shop: Shop, process: TestProcess, { pet, fate, send, observer }: Post) {
  await turns(fate.turns[0]);
  process.assertAlive();
  const isLost = ["kept", "gone", "late"].includes(fate.is);
  send.isKept = ["ok", "busy", "kept", "late"].includes(fate.is);
  send.isDoubtful = isLost;
  const kept = send.isKept ? shop.add(pet, fate.is === "late" ? fate.seconds : 0) : undefined;
  await turns(fate.turns[1]);
  process.assertAlive();
  if (isLost) throw lost();
  observer?.onReply?.(shop.store);
  if (fate.is === "stop") throw refused();
  if (kept === undefined) throw invalid();
  return kept;
}
