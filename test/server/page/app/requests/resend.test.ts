import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import type { RequestEntry } from "../../../../../src/server/inspect/types.ts";
import { curlCommand, petsCommand } from "../../../../../src/server/page/app/requests/resend.ts";

const origin = "http://127.0.0.1:4010";
const entry = (odd: Partial<RequestEntry>): RequestEntry =>
  ({
    method: "GET",
    path: "/v1/pets",
    requestHeaders: {},
    requestBody: "",
    truncated: false,
    ...odd,
  }) as RequestEntry;
const post = (requestBody: string): RequestEntry => entry({ method: "POST", requestBody });

/** Returns the words that a shell reads from a command. */
const words = (command: string): string[] =>
  execFileSync("bash", ["-c", `printf '%s\\0' ${command}`], { env: { PETS_API_KEY: "k" } })
    .toString()
    .split("\0")
    .slice(0, -1);

describe("the pets command that sends a request again", () => {
  it.each<[RequestEntry, string | undefined]>([
    [entry({}), "pets list"],
    [entry({ path: "/v1/pets?limit=5&status=sold" }), "pets list --status sold --limit 5"],
    [entry({ path: "/v1/pets?other=1" }), undefined],
    [entry({ path: "/v1/pets/7" }), "pets get 7"],
    [entry({ path: "/v1/pets/x" }), undefined],
    [entry({ method: "HEAD" }), undefined],
    [post('{"name":"Rex","categoryId":1}'), "pets add --name Rex --category 1"],
    [
      post('{"name":"-x y","categoryId":-9223372036854775808,"status":"sold"}'),
      "pets add '--name=-x y' --category=-9223372036854775808 --status sold",
    ],
    [post('{"name":"Rex"}'), undefined],
    [post("no JSON"), undefined],
  ])("of %j is %s", (request, command) => {
    expect(petsCommand(request)).toBe(command);
  });
});

describe("the curl command that sends a request again", () => {
  it("has the headers that the client chose, the body, and the key from the environment", () => {
    const requestHeaders = { Host: "x", "user-agent": "y", Accept: "z", "X-Pets-Fault": "500" };
    const command = curlCommand({ ...post(`{"name":"it's \u202e"}`), requestHeaders }, origin);
    expect(words(command ?? "")).toEqual([
      "curl",
      "-i",
      "-H",
      "Authorization: Bearer k",
      "-X",
      "POST",
      "-H",
      "X-Pets-Fault: 500",
      "--data-raw",
      `{"name":"it's \u202e"}`,
      `${origin}/v1/pets`,
    ]);
  });

  it("does not exist if the body was cut", () => {
    expect(curlCommand({ ...post("x".repeat(4_096)), truncated: true }, origin)).toBeUndefined();
    expect(curlCommand(entry({ truncated: true }), origin)).toBeDefined();
  });
});
