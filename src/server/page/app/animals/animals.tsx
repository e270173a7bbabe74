import { useState } from "preact/hooks";
import { petStatuses } from "../../../../core/enums.ts";
import { AddAnimal } from "./add-animal.tsx";
import { AnimalTable } from "./animal-table.tsx";
import { formatCount } from "../../../../core/format.ts";
import { Problem } from "../parts.tsx";
import { useAnimals } from "./use-animals.ts";

/** The animals: newest first, by status, with counts, and a form that adds one. */
export function AnimalsView() {
  const [status, setStatus] = useState("");
  const { animals, problem, reload } = useAnimals(status);
  const counts = animals?.counts ?? {};
  return (
    <section aria-labelledby="animals-title">
      <h2 id="animals-title">
        Animals <span class="count">{animals && formatCount(animals.total)}</span>
      </h2>
      <AddAnimal onAdded={reload} />
      <div class="chips" role="group" aria-label="Show animals by status">
        <Chip
          label="All"
          count={animals?.total}
          isOn={status === ""}
          onPick={() => setStatus("")}
        />
        {petStatuses.map((each) => (
          <Chip
            key={each}
            label={each}
            count={counts[each]}
            isOn={status === each}
            onPick={() => setStatus(each)}
          />
        ))}
      </div>
      {problem !== undefined && <Problem>{problem}</Problem>}
      {animals && <AnimalTable animals={animals} status={status} />}
    </section>
  );
}

function Chip({
  label,
  count,
  isOn,
  onPick,
}: {
  readonly label: string;
  readonly count: number | undefined;
  readonly isOn: boolean;
  readonly onPick: () => void;
}) {
  return (
    <button type="button" class={`chip ${label}`} aria-pressed={isOn} onClick={onPick}>
      {label} {count !== undefined && <span class="count">{formatCount(count)}</span>}
    </button>
  );
}
