/** The maximum number of complaints shown for one run. */
const most = 3;

/** Returns what failed processes printed on standard error; messages that differ only in numbers appear once. */
export function complaintsIn(texts: readonly string[]): readonly string[] {
  const lines = texts.flatMap((text) => text.split("\n")).filter((line) => line !== "");
  const messages = lines.filter((line) => line.startsWith("pets: "));
  const different = Map.groupBy(messages.length > 0 ? messages : lines, (line) =>
    line.replaceAll(/\d+/g, "N"),
  );
  return [...different.values()].flatMap(([line]) => line ?? []).slice(0, most);
}
