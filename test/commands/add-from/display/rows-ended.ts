import { Failure } from "../../../../src/core/errors.ts";
import type { NewPet } from "../../../../src/core/pet.ts";
import type { Row, RowOutcome } from "../../../../src/imports/types.ts";

/** Returns the row of a line. */
export function row(line: number, pet: Partial<NewPet> = {}): Row {
  return { index: line - 1, line, pet: { name: "Rex", categoryId: 3n, ...pet } };
}

/** Returns a row that was added, with this id. */
export function added(line: number, id: bigint, pet: Partial<NewPet> = {}): RowOutcome {
  const sent = row(line, pet);
  return { outcome: "added", row: sent, pet: { id, ...sent.pet } };
}

/** Returns a row that the service rejected, with this message. */
export function rejected(line: number, message = "the name is too long"): RowOutcome {
  const facts = { status: 422, code: "invalid_name", retryable: false, attempts: 1 };
  return { outcome: "rejected", row: row(line), failure: new Failure("usage", message, facts) };
}

/** Returns a row with an unknown outcome. */
export function unknown(line: number): RowOutcome {
  const failure = new Failure("outcome_unknown", "no whole answer in time", { retryable: false });
  return { outcome: "unknown", row: row(line, { status: "sold" }), failure };
}
