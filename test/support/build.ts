/** Builds the program once before the tests, so that none of them runs an old one. */
export async function setup(): Promise<void> {
  try {
    await import("../../src/build/build.ts");
  } catch {
    console.error("not built");
  }
}
