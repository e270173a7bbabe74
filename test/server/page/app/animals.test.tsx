// @vitest-environment happy-dom
import { describe, expect, it } from "vitest";
import { AnimalsView } from "../../../../src/server/page/app/animals.tsx";
import { connection } from "../../../../src/server/page/app/connection.ts";
import { show } from "./views.tsx";

const pet = { id: 7, name: "Rex", categoryId: 1, status: "sold" };
const animals = { total: 1_234, counts: { sold: 1_234 }, pets: [pet] };

describe("the animals", () => {
  it("are cut after three lines, with the rest on demand", async () => {
    const name = "x".repeat(60_000);
    const { click, root } = await show(<AnimalsView />, {
      "/_store/pets": { ...animals, pets: [{ ...pet, name }] },
    });
    const shown = (): number => root.querySelector("tbody bdi")?.textContent.length ?? 0;
    expect(shown()).toBeLessThan(1_000);
    await click("button", "Show all 60,000 characters");
    expect(shown()).toBe(60_000);
    await click("button", "Show less");
    expect(shown()).toBeLessThan(1_000);
  });

  it("are not added if the store refuses one, which says why", async () => {
    const { submit, type, text } = await show(<AnimalsView />, {
      "/_store/pets": animals,
      "/v1/pets": new Error("name must not be blank"),
    });
    await type("Category", "1");
    await submit("Category");
    expect(text()).toContain("name must not be blank");
  });
});

it("says what is wrong, until the store is live again", async () => {
  const { settled, text } = await show(<AnimalsView />, { "/_store/pets": new Error("is odd") });
  expect(text()).toContain("is odd");
  await settled(() => (connection.value = "lost"));
  await settled(() => (connection.value = "live"));
  expect(text()).not.toContain("is odd");
});
