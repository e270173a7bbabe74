import { useState } from "preact/hooks";
import { petStatuses } from "../../../core/enums.ts";
import { formatCount } from "../../../core/format.ts";
import { parseInt64 } from "../../../core/int64.ts";
import { stringifyExact } from "../../../core/json/stringify.ts";
import type { NewPetField } from "../../../core/pet-fields.ts";
import type { WithOnly } from "../../../core/pet.ts";
import type { StoreShapes } from "../../api/store-shapes.ts";
import { postJson } from "./api.ts";
import { usePolled, useProblem } from "./hooks.tsx";
import { Empty, formTexts, LongText, StoreCommand } from "./parts.tsx";

type Animals = StoreShapes["pets"];

/** The animals: newest first, by status, with counts, and a form that adds one. */
export function AnimalsView() {
  const [status, setStatus] = useState("");
  const path = `/_store/pets${status === "" ? "" : `?status=${status}`}`;
  const { value: animals, problem } = usePolled<Animals>(path, 1_000);
  const countOf = (each: string): number => (each ? animals?.counts[each] : animals?.total) ?? 0;
  return (
    <section aria-labelledby="animals-title">
      <h2 id="animals-title">Animals {animals && formatCount(animals.total)}</h2>
      <AddAnimal />
      <div class="row" role="group" aria-label="Show animals by status">
        {["", ...petStatuses, "none"].map((each) => (
          <button key={each} aria-pressed={status === each} onClick={() => setStatus(each)}>
            {each === "none" ? "No status" : each || "All"} {animals && formatCount(countOf(each))}
          </button>
        ))}
      </div>
      {problem}
      {animals && <AnimalTable animals={animals} chosen={status} />}
    </section>
  );
}

type ShownAnimal = WithOnly<Animals["pets"][number], "id" | "name" | "categoryId" | "status">;

function AnimalTable({ animals, chosen }: { animals: Animals; chosen: string }) {
  const { pets, total } = animals;
  if (pets.length === 0)
    return (
      <Empty title={chosen === "" ? "No animals yet" : "No animals with this status"}>
        {chosen === "" && (
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
            <th class="number">Id</th>
            <th>Name</th>
            <th class="number">Category</th>
            <th class="state">Status</th>
          </tr>
        </thead>
        <tbody>
          {pets.map(({ id, name, categoryId, status }: ShownAnimal) => (
            <tr key={String(id)}>
              <td class="number">{String(id)}</td>
              <td>
                <LongText text={name} />
              </td>
              <td class="number">{String(categoryId)}</td>
              <td class="state">{status && <span class={`tag ${status}`}>{status}</span>}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {pets.length === 100 && total > 100 && <p class="note">Showing the newest 100.</p>}
    </>
  );
}

function AddAnimal() {
  const [said, setSaid] = useState("");
  const { problem, attempt } = useProblem();
  const submit = async (form: HTMLFormElement): Promise<void> => {
    setSaid("");
    const isAdded = await attempt(async () => {
      const { id } = await postJson<{ id: bigint }>("/v1/pets", bodyOf(form));
      setSaid(`Added with id ${String(id)}.`);
      form.reset();
    });
    form.querySelector<HTMLElement>(isAdded ? "input" : "input:invalid")?.focus();
  };
  return (
    <form
      class="card row"
      aria-label="Add an animal"
      autocomplete="off"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void submit(event.currentTarget);
      }}
    >
      <label class="grow">
        Name
        <input name="name" required pattern=".*\S.*" maxLength={1_000} />
      </label>
      <label>
        Category
        <input name="categoryId" required pattern="-?(0|[1-9][0-9]*)" />
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
      <button>Add animal</button>
      <output>{said}</output>
      {problem}
    </form>
  );
}

/** Returns a NewPet; the category may be any int64, so it is never a double. Throws an Error for the user. */
function bodyOf(form: HTMLFormElement): string {
  const { name = "", categoryId: category = "", status } = formTexts(form);
  if (name.trim() === "") throw new Error("Enter a name.");
  const categoryId = parseInt64(category);
  if (categoryId === undefined)
    throw new Error("Enter a 64-bit integer as the category, such as 7.");
  const pet = { name, categoryId, status: status || undefined };
  return stringifyExact(pet satisfies Readonly<Record<NewPetField, unknown>>);
}
