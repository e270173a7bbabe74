import { describe, expect, it } from "vitest";
import { inMemoryLog } from "../../../src/rate-limiter/log/event-log.ts";
import { record, reserve, stamp } from "../support/records.ts";

const now = () => stamp(1000);

describe("inMemoryLog", () => {
  it("applies what is appended", () => {
    const log = inMemoryLog(now);
    log.append(record([1000, reserve("a")]), record([1000, reserve("b")]));
    log.refresh();
    expect([...log.state.permits.keys()]).toEqual(["a", "b"]);
  });
});
