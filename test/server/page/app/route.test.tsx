// @vitest-environment happy-dom
import { expect, it } from "vitest";
import { route, takeToken } from "../../../../src/server/page/app/route.ts";

it.each([
  ["", "", ""],
  ["#limits", "limits", ""],
  ["#requests/s-7", "requests", "s-7"],
])("the fragment %j shows %j with %j", (fragment, view, id) => {
  location.hash = fragment;
  dispatchEvent(new Event("hashchange"));
  expect(route.value).toEqual({ view, id });
});

it("the token of a link is taken once, and leaves the address", () => {
  const token = "a".repeat(32);
  history.replaceState(null, "", `#${token}`);
  expect([takeToken(), location.hash, takeToken()]).toEqual([token, "", undefined]);
  history.replaceState(null, "", "#requests");
  expect([takeToken(), location.hash]).toEqual([undefined, "#requests"]);
});
