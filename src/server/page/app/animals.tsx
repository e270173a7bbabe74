import { useState } from "preact/hooks";
import { petStatuses } from "../../../core/enums.ts";
import { formatCount } from "../../../core/format.ts";
import { stringifyExact } from "../../../core/json/stringify.ts";
import type { NewPetField } from "../../../core/pet-fields.ts";
import type { Pet, WithOnly } from "../../../core/pet.ts";
import { postJson } from "./api.ts";
import { usePolled, useProblem } from "./hooks.tsx";
import { Empty, formTexts, LongText, StoreCommand } from "./parts.tsx";

/** An animal, whose int64s are numbers where they are exact. */
type Animal = {
  readonly [Field in keyof Pet]: Pet[Field] extends bigint ? number | bigint : Pet[Field];
};

/** What `GET /_store/pets` returns. */
interface Animals {
  readonly total: number;
  readonly counts: Readonly<Record<string, number>>;
  /** The newest 100, newest first. */
  readonly pets: readonly Animal[];
}

/** The animals: newest first, by status, with counts, and a form that adds one. */
export function AnimalsView() {
  const [status, setStatus] = useState("");
  const path = `/_store/pets${status === "" ? "" : `?status=${status}`}`;
  const { value: animals, problem } = usePolled<Animals>(path, 1_000);
  const countOf = (each: string): number => (each ? animals?.counts[each] : animals?.total) ?? 0;
  return (
    <section aria-labelledby="animals-title">
      <h2 id="animals-title">
        Animals <span class="count">{animals && formatCount(animals.total)}</span>
      </h2>
      <AddAnimal />
      <div class="row chips" role="group" aria-label="Show animals by status">
        {["", ...petStatuses].map((each) => (
          <button key={each} aria-pressed={status === each} onClick={() => setStatus(each)}>
            {each || "All"} <span class="count">{animals && formatCount(countOf(each))}</span>
          </button>
        ))}
      </div>
      {problem}
      {animals && <AnimalTable animals={animals} status={status} />}
    </section>
  );
}

/** The newest animals of a status. */
function AnimalTable({ animals, status }: { animals: Animals; status: string }) {
  const { pets, total } = animals;
  if (pets.length === 0)
    return (
      <Empty title={status === "" ? "No animals yet" : `No animals are ${status}`}>
        {status === "" && (
          <p>
            Add one above, or in a terminal:{" "}
            <StoreCommand words={["add", "--name", "Rex", "--category", "1"]} />
          </p>
        )}
      </Empty>
    );
  return (
    <>
      <table>
        <thead>
          <tr>
            {["Id", "Name", "Category", "Status"].map((title, at) => (
              <th key={title} scope="col" class={at % 2 === 0 ? "number" : undefined}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {pets.map((animal) => (
            <AnimalRow key={String(animal.id)} animal={animal} />
          ))}
        </tbody>
      </table>
      {pets.length === 100 && total > 100 && (
        <p class="note">Showing the newest 100, the most the API lists.</p>
      )}
    </>
  );
}

/** An animal, with a cell for each of its fields. */
function AnimalRow({
  animal,
}: {
  animal: WithOnly<Animal, "id" | "name" | "categoryId" | "status">;
}) {
  const { id, name, categoryId, status } = animal;
  return (
    <tr>
      <td class={numberClass(id)}>{String(id)}</td>
      <td class="name">
        <LongText text={name} />
      </td>
      <td class={numberClass(categoryId)}>{String(categoryId)}</td>
      <td>{status !== undefined && <span class={`tag ${status}`}>{status}</span>}</td>
    </tr>
  );
}

/** Returns the class of a number; one that is too long for a narrow window may wrap. */
function numberClass(value: number | bigint): string {
  return String(value).length > 11 ? "number long" : "number";
}

/** The form that adds an animal through the API. */
function AddAnimal() {
  const [said, setSaid] = useState("");
  const { problem, attempt } = useProblem();
  const submit = (form: HTMLFormElement): Promise<boolean> => {
    setSaid("");
    return attempt(async () => {
      const { id } = Object(await postJson("/v1/pets", bodyOf(form)));
      setSaid(`Added with id ${String(id)}.`);
      form.reset();
      form.querySelector("input")?.focus();
    });
  };
  return (
    <form
      class="card row add"
      aria-label="Add an animal"
      autocomplete="off"
      onSubmit={(event) => {
        event.preventDefault();
        void submit(event.currentTarget);
      }}
    >
      <label class="grow">
        Name
        <input name="name" required maxLength={1_000} />
      </label>
      <label>
        Category
        <input
          name="categoryId"
          required
          inputMode="numeric"
          pattern="-?(0|[1-9][0-9]*)"
          title="a whole number"
        />
      </label>
      <label>
        Status
        <select name="status">
          <option value="">none</option>
          {petStatuses.map((status) => (
            <option key={status}>{status}</option>
          ))}
        </select>
      </label>
      <button class="primary">Add animal</button>
      <p class="said" role="status">
        {said}
      </p>
      {problem}
    </form>
  );
}

/** Returns a NewPet; the category may be any int64, so it is never a double. */
function bodyOf(form: HTMLFormElement): string {
  const { name, categoryId = "", status } = formTexts(form);
  const pet = { name, categoryId: BigInt(categoryId), status: status || undefined };
  return stringifyExact(pet satisfies Readonly<Record<NewPetField, unknown>>);
}
