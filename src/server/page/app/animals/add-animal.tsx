import { useRef, useState } from "preact/hooks";
import { petStatuses } from "../../../../core/enums.ts";
import { stringifyExact } from "../../../../core/json/stringify.ts";
import { postJson } from "../api.ts";
import { Problem } from "../parts.tsx";
import { useProblem } from "../use-problem.ts";

/** The form that adds an animal through the API. */
export function AddAnimal({ onAdded }: { onAdded: () => void }) {
  const nameField = useRef<HTMLInputElement>(null);
  const [said, setSaid] = useState("");
  const { problem, attempt } = useProblem();
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    const form = event.currentTarget;
    if (!(form instanceof HTMLFormElement)) return;
    setSaid("");
    await attempt(async () => {
      const { id } = Object(await postJson("/v1/pets", bodyOf(new FormData(form))));
      setSaid(`Added with id ${String(id)}.`);
      form.reset();
      nameField.current?.focus();
      onAdded();
    });
  };
  return (
    <form class="card add" onSubmit={submit} aria-label="Add an animal">
      <label class="grow">
        Name
        <input ref={nameField} name="name" required autocomplete="off" maxLength={1_000} />
      </label>
      <OtherFields />
      <button class="primary">Add animal</button>
      <p class="said" role="status">
        {said}
      </p>
      {problem !== undefined && <Problem>{problem}</Problem>}
    </form>
  );
}

function OtherFields() {
  return (
    <>
      <label>
        Category
        <input
          name="categoryId"
          required
          inputMode="numeric"
          pattern="-?(0|[1-9][0-9]*)"
          title="a whole number"
          size={6}
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
function bodyOf(fields: FormData): string {
  const field = (name: string): string => {
    const value = fields.get(name);
    return typeof value === "string" ? value : "";
  };
  const status = field("status");
  return stringifyExact({
    name: field("name"),
    categoryId: BigInt(field("categoryId")),
    ...(status !== "" && { status }),
  });
}
