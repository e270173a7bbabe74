import { petStatuses } from "./enums.ts";

/** One of the statuses that an animal may have (api.md, PetStatus). */
export type PetStatus = (typeof petStatuses)[number];

/** Returns `value` if it is one of the statuses. */
export function asPetStatus(value: unknown): PetStatus | undefined {
  return petStatuses.find((status) => status === value);
}

/** An animal to be added (api.md, NewPet). `categoryId` is an int64. */
export interface NewPet {
  readonly name: string;
  readonly categoryId: bigint;
  readonly status?: PetStatus;
}

/** An animal as the service returns it (api.md, Pet). `id` and `categoryId` are int64. */
export interface Pet extends NewPet {
  readonly id: bigint;
}

/** The name of a Pet's field. */
export type PetField = keyof Pet;
