import { getCompileCacheDir } from "node:module";
import { setFlagsFromString } from "node:v8";
import { expect, it, vi } from "vitest";
import { compileEagerly, compileLazily } from "../../src/platform/eager-compilation.ts";

vi.mock("node:module", () => ({ getCompileCacheDir: vi.fn<() => string | undefined>() }));
vi.mock("node:v8", () => ({ setFlagsFromString: vi.fn<(flag: string) => void>() }));

it.each([
  ["off", undefined, []],
  ["on", "/cache", ["--no-lazy", "--lazy"]],
])("with the compile cache %s", (_what, folder, flags) => {
  vi.mocked(getCompileCacheDir).mockReturnValue(folder);
  vi.mocked(setFlagsFromString).mockClear();
  compileEagerly();
  compileLazily();
  expect(vi.mocked(setFlagsFromString).mock.calls.flat()).toEqual(flags);
});
