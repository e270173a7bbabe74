/** Complaints shown of one run at most. */
const most = 3;

/** What processes that failed told on standard error, each message once whatever its numbers. */
export function complaintsIn(texts: readonly string[]): readonly string[] {
  const lines = texts.flatMap((text) => text.split("\n")).filter((line) => line !== "");
  const messages = lines.filter((line) => line.startsWith("pets: "));
  const different = Map.groupBy(messages.length > 0 ? messages : lines, (line) =>
    line.replaceAll(/\d+/g, "N"),
  );
  return [...different.values()].flatMap(([line]) => line ?? []).slice(0, most);
}
