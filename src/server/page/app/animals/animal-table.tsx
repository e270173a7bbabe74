import { Empty, LongText, StoreCommand } from "../parts.tsx";

/** An animal; its numbers are int64s. */
interface Animal {
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

/** The newest animals of a status. */
export function AnimalTable({ animals, status }: { animals: Animals; status: string }) {
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
            <th scope="col" class="number">
              Id
            </th>
            <th scope="col">Name</th>
            <th scope="col" class="number">
              Category
            </th>
            <th scope="col">Status</th>
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

function AnimalRow({ animal }: { animal: Animal }) {
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
