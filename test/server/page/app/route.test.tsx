// @vitest-environment happy-dom
import { expect, it } from "vitest";
import { readRoute } from "../../../../src/server/page/app/route.ts";

it.each([
  ["", { view: "", id: "" }],
  ["#requests", { view: "requests", id: "" }],
  ["#requests/ab-12", { view: "requests", id: "ab-12" }],
])("reads the fragment %j", (fragment, route) => {
  expect(readRoute(fragment)).toEqual(route);
});
