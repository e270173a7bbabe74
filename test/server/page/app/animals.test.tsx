// @vitest-environment happy-dom
import { expect, it } from "vitest";
import { AnimalsView } from "../../../../src/server/page/app/animals.tsx";
import { connection } from "../../../../src/server/page/app/connection.ts";
import { type Answers, show } from "./views.tsx";

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

it("shows each number whole", async () => {
  const pet = `{"id":9223372036854775807,"name":"Rex","categoryId":-9223372036854775808}`;
  const { root } = await show(<AnimalsView />, {
    "/_store/pets": `{"total":1,"counts":{"none":1},"pets":[${pet}]}`,
  });
  const numbers = [...root.querySelectorAll("tbody .number")].map(({ textContent }) => textContent);
  expect(numbers).toEqual(["9223372036854775807", "-9223372036854775808"]);
});

it("says what is wrong, until the store is live again", async () => {
  const answers: Answers = { "/_store/pets": new Error("is odd") };
  const { settled, text } = await show(<AnimalsView />, answers);
  expect(text()).toContain("is odd");
  await settled(() => (connection.value = "lost"));
  expect(text()).not.toContain("is odd");
  answers["/_store/pets"] = { total: 0, counts: {}, pets: [] };
  await settled(() => (connection.value = "live"));
  expect(text()).not.toContain("is odd");
});
