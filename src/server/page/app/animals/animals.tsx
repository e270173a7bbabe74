import { useState } from "preact/hooks";
import { petStatuses } from "../../../../core/enums.ts";
import { petsVersion } from "../connection.ts";
import { usePolled } from "../hooks.ts";
import { AddAnimal } from "./add-animal.tsx";
import { type Animals, AnimalTable } from "./animal-table.tsx";
import { formatCount } from "../../../../core/format.ts";
import { Problem } from "../parts.tsx";

/** The animals: newest first, by status, with counts, and a form that adds one. */
export function AnimalsView() {
  const [status, setStatus] = useState("");
  const path = `/_store/pets${status === "" ? "" : `?status=${status}`}`;
  // Other stores may share the data, so it is fetched again now and then.
  const { value: animals, problem, reload } = usePolled<Animals>(path, 5_000, petsVersion);
  return (
    <section aria-labelledby="animals-title">
      <h2 id="animals-title">
        Animals <span class="count">{animals && formatCount(animals.total)}</span>
      </h2>
      <AddAnimal onAdded={reload} />
      <div class="row chips" role="group" aria-label="Show animals by status">
        {["", ...petStatuses].map((each) => (
          <button
            key={each}
            type="button"
            aria-pressed={status === each}
            onClick={() => setStatus(each)}
          >
            {each || "All"}{" "}
            <span class="count">
              {animals && formatCount((each ? animals.counts[each] : animals.total) ?? 0)}
            </span>
          </button>
        ))}
      </div>
      {problem !== undefined && <Problem>{problem}</Problem>}
      {animals && <AnimalTable animals={animals} status={status} />}
    </section>
  );
}
