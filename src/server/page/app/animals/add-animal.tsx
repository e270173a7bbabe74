import { useState } from "preact/hooks";
import { petStatuses } from "../../../../core/enums.ts";
import { stringifyExact } from "../../../../core/json/stringify.ts";
import type { NewPetField } from "../../../../core/pet-fields.ts";
import { postJson } from "../api.ts";
import { useProblem } from "../hooks.ts";
import { formTexts, Problem } from "../parts.tsx";

/** The form that adds an animal through the API. */
export function AddAnimal() {
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
      class="card add"
      aria-label="Add an animal"
      onSubmit={(event) => {
        event.preventDefault();
        void submit(event.currentTarget);
      }}
    >
      <Fields />
      <button class="primary">Add animal</button>
      <p class="said" role="status">
        {said}
      </p>
      {problem !== undefined && <Problem>{problem}</Problem>}
    </form>
  );
}

function Fields() {
  return (
    <>
      <label class="grow">
        Name
        <input name="name" required autocomplete="off" maxLength={1_000} />
      </label>
      <label>
        Category
        <input
          name="categoryId"
          required
          inputMode="numeric"
          pattern="-?(0|[1-9][0-9]*)"
          title="a whole number"
          autocomplete="off"
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
    </>
  );
}

/** Returns a NewPet; the category may be any int64, so it is never a double. */
function bodyOf(form: HTMLFormElement): string {
  const { name, categoryId = "", status } = formTexts(form);
  const pet = { name, categoryId: BigInt(categoryId), status: status || undefined };
  return stringifyExact(pet satisfies Readonly<Record<NewPetField, unknown>>);
}
