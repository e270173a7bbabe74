import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { curlCommand, petsCommand } from "../../../../src/server/page/app/resend.ts";
import type { RequestEntry } from "../../../../src/server/request-log/types.ts";

const origin = "http://127.0.0.1:4010";
const baseUrl = `${origin}/v1`;
const store = { baseUrl, profile: "local" };
const plain = { method: "GET", requestHeaders: {}, requestBody: "", truncated: false };
const get = (path: string, odd: Partial<RequestEntry> = {}): RequestEntry =>
  ({ ...plain, path, ...odd }) as RequestEntry;
const post = (requestBody: string): RequestEntry =>
  get("/v1/pets", { method: "POST", requestBody });

/** Returns the words that a shell reads from a command. */
const words = (command = ""): string[] =>
  execFileSync("bash", ["-c", `printf '%s\\0' ${command}`], { env: { PETS_API_KEY: "k" } })
    .toString()
    .split("\0")
    .slice(0, -1);

describe("the pets command that sends a request again", () => {
  it.each<[RequestEntry, string | undefined]>([
    [get("/v1/pets"), "pets list"],
    [get("/v1/pets?limit=5&status=sold"), "pets list --status sold --limit 5"],
    [get("/v1/pets?other=1"), undefined],
    [get("/v1/pets?limit=1&limit=2"), undefined],
    [get("/v1/./pets"), undefined],
    [get("http://other.example/v1/pets"), "pets list"],
    [get("/v1/pets/7"), "pets get 7"],
    [get("/v1/pets/-7"), undefined],
    [get("/v1/pets/x"), undefined],
    [get("/v1/pets", { method: "HEAD" }), undefined],
    [post('{"name":"Rex","categoryId":1}'), "pets add --name Rex --category 1"],
    [
      post('{"name":"-x y","categoryId":-9223372036854775808,"status":"sold"}'),
      "pets add '--name=-x y' --category=-9223372036854775808 --status sold",
    ],
    [post('{"name":"Rex"}'), undefined],
    [post('{"name":"Rex","categoryId":"1"}'), undefined],
    [post('{"name":"Rex","categoryId":1.0}'), undefined],
    [post("no JSON"), undefined],
  ])("of %j is %s", (request, command) => {
    const named = command && `${command} --profile local --base-url ${baseUrl}`;
    expect(petsCommand(request, store)).toBe(named);
  });

  it("names the store by its base URL alone if no profile was saved", () => {
    const command = petsCommand(get("/v1/pets"), { ...store, profile: null });
    expect(command).toBe(`pets list --base-url ${baseUrl}`);
  });

  it("quotes a hostile name", () => {
    const name = "'; $(touch x) `id` \n\u202e";
    const command = petsCommand(post(JSON.stringify({ name, categoryId: 1 })), store);
    expect(words(command).slice(0, 4)).toEqual(["pets", "add", "--name", name]);
  });
});

describe("the curl command that sends a request again", () => {
  const start = ["curl", "-i", "--globoff", "--path-as-is", "-H", "Authorization: Bearer k"];

  it("has the headers that the client chose, the body, and the key from the environment", () => {
    const own = { Host: "x", "user-agent": "y", Accept: "z" };
    const requestHeaders = { ...own, "X-Pets-Fault": "500", "X-Empty": "" };
    const body = `{"name":"it's \u202e"}`;
    const end = ["--data-raw", body, `${origin}/v1/pets`];
    const sent = [...start, "-X", "POST", "-H", "X-Pets-Fault: 500", "-H", "X-Empty;", ...end];
    expect(words(curlCommand({ ...post(body), requestHeaders }, store))).toEqual(sent);
  });

  it.each([
    "/v1/pets?limit=[1-70]",
    "/v1/{a,b}/../pets?$(touch x)&`id`'\"\\",
    "//other.example/v1/pets",
    "/v1/@other.example",
  ])("sends %s as it is, once, to this store", (path) => {
    expect(words(curlCommand(get(path), store))).toEqual([...start, `${origin}${path}`]);
  });

  it("is for this store, even if the request named another", () => {
    const other = get("http://other.example/v1/pets?a=http://x");
    expect(words(curlCommand(other, store)).at(-1)).toBe(`${origin}/v1/pets?a=http://x`);
    expect(curlCommand(get("other.example:80"), store)).toBeUndefined();
  });

  it("keeps the method of a GET with a body", () => {
    const command = curlCommand(get("/v1/pets", { requestBody: "x" }), store);
    expect(words(command)).toContain("GET");
  });

  it("does not exist if the body was cut", () => {
    expect(curlCommand({ ...post("x".repeat(4_096)), truncated: true }, store)).toBeUndefined();
    expect(curlCommand(get("/v1/pets", { truncated: true }), store)).toBeDefined();
  });
});
