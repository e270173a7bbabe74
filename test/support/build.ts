/** Builds the program once before the tests, so that none of them runs an old one. */
export async function setup(): Promise<void> {
  await import("../../src/build/build.ts");
}
