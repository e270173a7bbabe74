/** A count for people: `1,234`. */
export function count(number: number): string {
  return number.toLocaleString("en-US");
}

/** A count of animals: `1 animal`, `1,234 animals`. */
export function animals(number: number): string {
  return `${count(number)} ${number === 1 ? "animal" : "animals"}`;
}
