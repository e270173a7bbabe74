import { useEffect, useState } from "preact/hooks";
import { getJson, messageOf } from "../api.ts";
import { connection, petsVersion } from "../connection.ts";
import { useProblem } from "../use-problem.ts";

/** An animal; its numbers are int64s. */
export interface Animal {
  readonly id: number | bigint;
  readonly name: string;
  readonly categoryId: number | bigint;
  readonly status?: string;
}

/** What `GET /_store/pets` returns. */
export interface Animals {
  readonly total: number;
  readonly counts: Readonly<Record<string, number>>;
  /** The newest 100, newest first. */
  readonly pets: readonly Animal[];
}

/** The interval at which animals are fetched, in ms: other stores may share the data. */
const pollMs = 5_000;
/** The minimum interval, in ms, if many are added. */
const minPauseMs = 1_000;

/** Returns the animals of a status; fetches them again when they may have changed, at most once a second. */
export function useAnimals(status: string) {
  const [animals, setAnimals] = useState<Animals>();
  const { problem, setProblem } = useProblem();
  const [asked, ask] = useState({});
  useEffect(() => {
    const load = makeLoader(status, setAnimals, setProblem);
    const unsubscribe = petsVersion.subscribe(load.soon);
    const timer = setInterval(load.soon, pollMs);
    load.soon();
    return () => {
      load.stop();
      unsubscribe();
      clearInterval(timer);
    };
  }, [status, asked]);
  return { animals, problem, reload: () => ask({}) };
}

/** Makes what fetches the animals of a status when they may have changed, until it is stopped. */
export function makeLoader(
  status: string,
  setAnimals: (animals: Animals) => void,
  setProblem: (problem: string | undefined) => void,
) {
  const state = { isBusy: false, isWanted: false, isStopped: false };
  const load = async (): Promise<void> => {
    state.isBusy = true;
    while (state.isWanted && !state.isStopped) {
      state.isWanted = false;
      try {
        const animals = await getJson(`/_store/pets${status === "" ? "" : `?status=${status}`}`);
        if (state.isStopped) return;
        setAnimals(Object(animals));
        setProblem(undefined);
      } catch (error) {
        // While the connection is lost, the page already says so.
        const isShown = connection.get() === "live" && !state.isStopped;
        if (isShown) setProblem(messageOf(error));
      }
      await new Promise((resolve) => setTimeout(resolve, minPauseMs));
    }
    state.isBusy = false;
  };
  return {
    soon: (): void => {
      state.isWanted = true;
      if (!state.isBusy) void load();
    },
    stop: (): void => {
      state.isStopped = true;
    },
  };
}
