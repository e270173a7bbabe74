/** A count for people: `1,234`. */
export function formatCount(number: number): string {
  return number.toLocaleString("en-US");
}

/** How many of `rows` animals were added: `1 of 2 animals was added`. */
export function addedOf(added: number, rows: number): string {
  const verb = added === 1 || rows === 1 ? "was" : "were";
  return `${formatCount(added)} of ${countAnimals(rows)} ${verb} added`;
}

/** A count of animals: `1 animal`, `1,234 animals`. */
export function countAnimals(number: number): string {
  return `${formatCount(number)} ${number === 1 ? "animal" : "animals"}`;
}
