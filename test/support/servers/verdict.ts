import type { StoreShapes } from "../../../src/server/api/store-shapes.ts";

/** The verdict of a store on clients that sent nothing. */
export const noVerdict: StoreShapes["check"] = {
  requests: {},
  early: 0,
  bans: 0,
  duplicates: [],
  abandoned: 0,
  outside: {},
  parameters: {},
  malformed: {},
};
