import { describe, expect, it } from "vitest";
import type { Context } from "../../../src/commands/context.ts";
import { readyJson, readyText } from "../../../src/commands/serve/banner.ts";
import type { Service } from "../../../src/commands/serve/start-service.ts";
import { startJudging } from "../../../src/server/judge/judge.ts";

const context = { machine: { pid: 7 } } as unknown as Context;
const first = { apiKey: "pets_0123456789", plan: "free" };
const service = (data: string): Service => ({
  baseUrl: "http://127.0.0.1:4010/v1",
  port: 4010,
  keys: [first, { apiKey: "pets_9876543210", plan: "enterprise" }],
  data,
  page: "http://127.0.0.1:4010/#token",
  limits: undefined,
  verdict: () => startJudging().verdict("start"),
  steps: () => [],
  certificateToTrust: undefined,
  stop: async () => {},
});
const odd = "/tmp/\u202e\u009b\u007f\n.db";

describe("the banner of pets serve", () => {
  it("is one exact line of JSON without control characters", () => {
    const line = readyJson(service(odd), context);
    expect(JSON.parse(line)).toEqual({
      baseUrl: "http://127.0.0.1:4010/v1",
      ...first,
      keys: service("").keys,
      data: odd,
      page: "http://127.0.0.1:4010/#token",
      pid: 7,
    });
    expect(line).toMatch(/^[\x20-\x7e]+\n$/);
  });

  it("has one line per item for people, with plans in words", () => {
    expect(readyText(service(odd), "pets list", undefined)).toBe(
      String.raw`The store is ready at http://127.0.0.1:4010/v1
Key   pets_0123456789 (id 00bcab8d23e6fe22, plan free: 60 requests per minute, 1,000 per day)
Key   pets_9876543210 (id d8e2c75bf1e7dd65, plan enterprise: no limit)
Data  /tmp/\u202e\x9b\x7f\n.db
Try   pets list
Page  http://127.0.0.1:4010/#token
`,
    );
  });

  it("masks a key from the environment", () => {
    const told = readyText(service("memory"), "pets list", first.apiKey);
    expect(told).toContain("Key   …6789 from PETS_SERVE_KEY (id 00bcab8d23e6fe22, plan free");
    expect(told).toContain("Key   pets_9876543210 ");
    expect(told).toContain("Data  in memory (discarded on exit)\n");
  });
});
