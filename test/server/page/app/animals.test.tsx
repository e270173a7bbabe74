// @vitest-environment happy-dom
import { expect, it } from "vitest";
import { AnimalsView } from "../../../../src/server/page/app/animals.tsx";
import { connection } from "../../../../src/server/page/app/connection.ts";
import { show } from "./views.tsx";

it("cuts a name after three lines, with the rest on demand", async () => {
  const pet = { id: 7, name: "x".repeat(60_000), categoryId: 1, status: "sold" };
  const { click, root } = await show(<AnimalsView />, {
    "/_store/pets": { total: 1, counts: { sold: 1 }, pets: [pet] },
  });
  const shown = (): number => root.querySelector("tbody bdi")?.textContent.length ?? 0;
  expect(shown()).toBeLessThan(1_000);
  await click("button", "Show all 60,000 characters");
  expect(shown()).toBe(60_000);
  await click("button", "Show less");
  expect(shown()).toBeLessThan(1_000);
});

it("says what is wrong, until the store is live again", async () => {
  const { settled, text } = await show(<AnimalsView />, { "/_store/pets": new Error("is odd") });
  expect(text()).toContain("is odd");
  await settled(() => (connection.value = "lost"));
  await settled(() => (connection.value = "live"));
  expect(text()).not.toContain("is odd");
});
