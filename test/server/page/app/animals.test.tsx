// @vitest-environment happy-dom
import { expect, it } from "vitest";
import { AnimalsView } from "../../../../src/server/page/app/animals.tsx";
import { connection } from "../../../../src/server/page/app/connection.ts";
import { type Answers, show } from "./views.tsx";

it("cuts a long name, which its title has whole, and no id", async () => {
  const name = `${"x".repeat(60_000)}\u202e`;
  const pet = `{"id":9223372036854775807,"name":"${name}","categoryId":-9223372036854775808}`;
  const { find, root } = await show(<AnimalsView />, {
    "/_store/pets": `{"total":1,"counts":{"none":1},"pets":[${pet}]}`,
  });
  expect(find("tbody .cut").textContent.length).toBeLessThan(1_000);
  expect(find("tbody .cut").title).toBe(`${"x".repeat(60_000)}\\u202e`);
  const numbers = [...root.querySelectorAll("tbody .number")].map(({ textContent }) => textContent);
  expect(numbers).toEqual(["-9223372036854775808", "9223372036854775807"]);
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
