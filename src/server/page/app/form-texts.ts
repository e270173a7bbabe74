/** Returns the texts in the fields of a form, by their names. */
export function formTexts(form: HTMLFormElement): Readonly<Record<string, string>> {
  const fields = [...new FormData(form)];
  return Object.fromEntries(
    fields.map(([name, text]) => [name, typeof text === "string" ? text : ""]),
  );
}
