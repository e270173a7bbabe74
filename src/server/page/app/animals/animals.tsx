import { useState } from "preact/hooks";
import { petStatuses } from "../../../../core/enums.ts";
import { petsVersion } from "../connection.ts";
import { usePolled } from "../poll.ts";
import { AddAnimal } from "./add-animal.tsx";
import { type Animals, AnimalTable } from "./animal-table.tsx";
import { formatCount } from "../../../../core/format.ts";
import { Problem } from "../parts.tsx";

/** The interval at which animals are fetched, in ms: other stores may share the data. */
const pollMs = 5_000;

/** The animals: newest first, by status, with counts, and a form that adds one. */
export function AnimalsView() {
  const [status, setStatus] = useState("");
  const path = `/_store/pets${status === "" ? "" : `?status=${status}`}`;
  const { value: animals, problem, reload } = usePolled<Animals>(path, pollMs, petsVersion);
  return (
    <section aria-labelledby="animals-title">
      <h2 id="animals-title">
        Animals <span class="count">{animals && formatCount(animals.total)}</span>
      </h2>
      <AddAnimal onAdded={reload} />
      <div class="chips" role="group" aria-label="Show animals by status">
        {["", ...petStatuses].map((each) => (
          <button
            key={each}
            type="button"
            class={`chip ${each}`}
            aria-pressed={status === each}
            onClick={() => setStatus(each)}
          >
            {each || "All"} <span class="count">{countText(animals, each)}</span>
          </button>
        ))}
      </div>
      {problem !== undefined && <Problem>{problem}</Problem>}
      {animals && <AnimalTable animals={animals} status={status} />}
    </section>
  );
}

function countText(animals: Animals | undefined, status: string): string {
  const count = status === "" ? animals?.total : animals?.counts[status];
  return count === undefined ? "" : formatCount(count);
}
