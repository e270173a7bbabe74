import { describe, expect, it } from "vitest";
import { BrokenPipe, Failure, usageFailure } from "../../src/core/errors.ts";
import { exitCodeOf, renderFailure } from "../../src/output/failure.ts";

const plain = { json: false, verbose: false, color: false };
const json = { ...plain, json: true };

const redact = (text: string): string => text.replaceAll("secret", "…");

const limited = new Failure("rate_limited", "the service responded with 429", {
  status: 429,
  retryable: true,
  retryAt: Date.UTC(2026, 10, 5, 12, 30, 1, 5),
  attempts: 3,
  hints: ["try again later", "or raise --max-wait", "or use less", "a fourth"],
});

const rows = new Failure("usage", "2 of 9 rows are invalid", {
  details: [
    { line: 3, field: "name", message: "must not be empty" },
    { line: 7, message: "is no object" },
  ],
});

/** Returns the failure of an input with an invalid row. */
const invalid = (row: NonNullable<Failure["facts"]["details"]>[number], file?: string) =>
  new Failure("usage", "x", { details: [row], ...(file !== undefined && { file }) });

it.each([
  [limited, 5],
  [new Failure("terminated", "x"), 143],
  [new BrokenPipe(), 0],
  [new TypeError("x"), 1],
  [undefined, 1],
])("the exit code of %s is %i", (error, code) => {
  expect(exitCodeOf(error)).toBe(code);
});

describe("renderFailure as text", () => {
  it.each([
    [usageFailure("--limit is wrong"), "pets: --limit is wrong\n"],
    [
      limited,
      "pets: the service responded with 429\ntry again later\nor raise --max-wait\nor use less\n",
    ],
    [rows, "line 3: name must not be empty\nline 7: is no object\npets: 2 of 9 rows are invalid\n"],
    [usageFailure("no \x1b[2J\n\u202e", "see\nthis"), "pets: no \\x1b[2J\\n\\u202e\nsee\\nthis\n"],
    [new BrokenPipe(), ""],
  ])("of %s", async (error, text) => {
    expect(await renderFailure(error, plain)).toBe(text);
  });

  it("limits the length of a service's text", async () => {
    const text = await renderFailure(usageFailure("\x1b".repeat(1e6)), plain);
    expect(text.length).toBeLessThan(1100);
    expect(text).toMatch(/^pets: .*…\n$/);
  });
});

describe("renderFailure of invalid rows", () => {
  it.each([
    [" name", '" name"'],
    ["", '""'],
    ["a\u00A0b", '"a\u00A0b"'],
    ["\x1b[1m", "\\x1b[1m"],
  ])("shows the field %j as %s", async (field, shown) => {
    const failure = invalid({ line: 3, field, message: "is bad" });
    expect(await renderFailure(failure, plain)).toBe(`line 3: ${shown} is bad\npets: x\n`);
  });

  it("names the animal, and the row of a spreadsheet where that differs", async () => {
    const failure = invalid({ line: 71, row: 57, name: "Bello", message: "is bad" });
    expect(await renderFailure(failure, plain)).toBe("line 71 (row 57, Bello): is bad\npets: x\n");
  });

  it("says how many more there are, which JSON leaves to the message", async () => {
    const failure = new Failure("usage", "x", {
      details: [{ line: 3, message: "y" }],
      moreDetails: 9_000,
    });
    expect(await renderFailure(failure, plain)).toBe("line 3: y\n… and 9,000 more\npets: x\n");
    expect(await renderFailure(failure, { ...plain, json: true })).not.toContain("9");
  });

  it("lists invalid rows beside the count of those that were added before", async () => {
    const earlierRows = { known: 1, rows: 2, file: "a.csv", at: "2026-11-19T22:00:00.000Z" };
    const failure = new Failure("usage", "x", {
      details: [{ line: 3, message: "y" }],
      earlierRows,
    });
    expect(await renderFailure(failure, plain)).toBe("line 3: y\npets: x\n");
    const [line, text = ""] = (await renderFailure(failure, json)).split("\n");
    expect([line, JSON.parse(text).error.details]).toEqual(["line 3: y", earlierRows]);
  });

  it("counts the items of a JSON array", async () => {
    const failure = invalid({ line: 3, textLine: 9, message: "is bad" });
    expect(await renderFailure(failure, plain)).toBe("item 3: is bad\npets: x\n");
    const text = await renderFailure(failure, json);
    expect(JSON.parse(text).error.details).toEqual([{ line: 3, message: "is bad" }]);
  });
});

describe("renderFailure as JSON", () => {
  it.each([
    [usageFailure("no"), { code: "usage", message: "no", exitCode: 2 }],
    [
      limited,
      {
        code: "rate_limited",
        message: "the service responded with 429",
        status: 429,
        exitCode: 5,
        retryable: true,
        retryAt: "2026-11-05T12:30:01.005Z",
        attempts: 3,
        hints: ["try again later", "or raise --max-wait", "or use less"],
      },
    ],
    [
      new Failure("service", "x", { code: "teapot", retryable: false, attempts: 0, retryAt: NaN }),
      { code: "teapot", message: "x", exitCode: 7, retryable: false, attempts: 0 },
    ],
    [rows, { code: "usage", message: rows.message, exitCode: 2, details: rows.facts.details }],
  ])("of %s", async (error, shown) => {
    const text = await renderFailure(error, json);
    expect(text).toBe(`${JSON.stringify({ error: shown })}\n`);
  });
});

describe("renderFailure in a workflow of GitHub", () => {
  const env = { GITHUB_ACTIONS: "true", GITHUB_WORKSPACE: "/work/repo" };

  it.each([plain, json])("annotates invalid rows before the rest, with %j", async (how) => {
    const text = await renderFailure(rows, { ...how, env: { GITHUB_ACTIONS: "true" } });
    expect(text.replace(await renderFailure(rows, how), "")).toBe(
      "::error line=3::name must not be empty\n::error line=7::is no object\n",
    );
  });

  const oddMessage = { message: "5% off: \r\n::error::x,y \u202e" };
  const shownMessage = "5%25 off: %0D%0A::error::x,y \\u202e";

  it.each([
    ["/work/repo/data/a.csv", {}, "file=data/a.csv,line=3::name is bad"],
    ["/work/repo", {}, "file=,line=3::name is bad"],
    ["/work/repo2/a.csv", {}, "file=/work/repo2/a.csv,line=3::name is bad"],
    ["/work/repo/..a.csv", {}, "file=..a.csv,line=3::name is bad"],
    ["/work/repo/a.json", { textLine: 7 }, "file=a.json,line=7::name is bad"],
    ["/work/repo/5%,a:b\n", oddMessage, `file=5%25%2Ca%3Ab%0A,line=3::name ${shownMessage}`],
  ])("annotates %o, %o", async (file, changes, mark) => {
    const failure = invalid({ line: 3, field: "name", message: "is bad", ...changes }, file);
    const text = await renderFailure(failure, { ...plain, env });
    expect(text.split("\n")[0]).toBe(`::error ${mark}`);
  });

  it("annotates ten rows at most, and only there", async () => {
    const details = Array.from({ length: 20 }, (_, line) => ({ line, message: "x" }));
    const many = new Failure("usage", "x", { details });
    const marks = async (GITHUB_ACTIONS: string) =>
      (await renderFailure(many, { ...plain, env: { ...env, GITHUB_ACTIONS } })).match(/^::/gm);
    expect(await marks("true")).toHaveLength(10);
    expect(await marks("1")).toBeNull();
  });
});

it.each([plain, json])("renderFailure prints a hint whole, with %j", async (options) => {
  const hint = `To send all of them: pets add --from ${"x".repeat(3000)} --again`;
  const failure = new Failure("usage", "no", { hints: [hint] });
  expect(await renderFailure(failure, options)).toContain(hint);
});

describe("renderFailure with a redaction", () => {
  it.each([
    [plain, /^line 1: is …\npets: no …\nsee …\n$/],
    [
      json,
      /"message":"no …",.*"details":\[\{"line":1,"message":"is …"\}\],"hints":\["see …"\]\}\}\n$/,
    ],
  ])("masks message, hints and details with %j", async (options, text) => {
    const details = [{ line: 1, message: "is secret" }];
    const failure = new Failure("usage", "no secret", { hints: ["see secret"], details });
    expect(await renderFailure(failure, { ...options, redact })).toMatch(text);
  });

  it("masks the stack of an internal error", async () => {
    const text = await renderFailure(new Error("secret"), { ...plain, verbose: true, redact });
    expect(text).not.toContain("secret");
  });
});

describe("renderFailure of an internal error", () => {
  const fault = new TypeError("undefined is not a pet\x07");

  it("says where to report it, on one line", async () => {
    expect(await renderFailure(fault, plain)).toMatch(
      /^pets: .*undefined is not a pet\\x07; please report it to the maintainers\n.*`--verbose`.*\n$/,
    );
  });

  it("shows its stack only with --verbose, before the message", async () => {
    const lines = (await renderFailure(fault, { ...plain, verbose: true })).trimEnd().split("\n");
    expect(lines[0]).toBe("TypeError: undefined is not a pet\\x07");
    expect(lines.slice(1, -1).join()).toContain("failure.test.ts");
    expect(lines.at(-1)).toMatch(/^pets: /);
    expect(await renderFailure(usageFailure("no"), { ...plain, verbose: true })).toBe("pets: no\n");
  });

  it("ends with one line of JSON", async () => {
    const lines = (await renderFailure(fault, { ...json, verbose: true })).trimEnd().split("\n");
    const { error } = JSON.parse(lines.at(-1) ?? "");
    expect(error).toMatchObject({ code: "internal", exitCode: 1 });
    expect(await renderFailure("thrown text", json)).toContain("thrown text");
  });
});
