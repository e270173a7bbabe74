import { expect, it, vi } from "vitest";
import { endGroup } from "../../src/platform/process-group.ts";

// That it ends all of a living group, key-command.test.ts shows.
it("ignores processes that are gone", async () => {
  const gone = vi.fn<() => never>().mockThrow(Object.assign(new Error("gone"), { code: "ESRCH" }));
  await expect(endGroup(1, gone, 0)).resolves.toBeUndefined();
});
