import { assert, integer, property, string } from "fast-check";
import { describe, expect, it } from "vitest";
import { captureBody, previewBody } from "../../../src/server/request-log/body-preview.ts";
import { requestMasks } from "../../../src/server/secrets.ts";

const key = "pets_0123456789abcdefghijklmnopqrstuv";
const noKey = requestMasks([]).maskOf([]);

/** Returns what is shown of a captured body. */
const shown = (body: string | Uint8Array, mask = noKey) => previewBody(captureBody(body), mask);

describe("captureBody", () => {
  it.each([
    ["a text", "x".repeat(32_768)],
    ["bytes", new Uint8Array(32_768)],
  ])("keeps %s of 32 KiB unchanged", (_what, body) => {
    expect(captureBody(body)).toBe(body);
  });

  it.each<[string, string | Uint8Array]>([
    ["a text", "é".repeat(40_000)],
    ["bytes", Buffer.alloc(32_769)],
  ])("keeps little of more, without the rest of %s in memory", (_what, body) => {
    const kept = captureBody(body);
    expect(kept.length).toBeLessThan(9_000);
    expect(kept).not.toHaveProperty("buffer.byteLength", body.length);
  });
});

describe("previewBody", () => {
  it.each([
    ["nothing", "", "", false],
    ["4 KiB", "x".repeat(4_096), "x".repeat(4_096), false],
    ["a byte more", "x".repeat(4_097), "x".repeat(4_096), true],
    ["a character across the cut", `x${"é".repeat(3_000)}`, `x${"é".repeat(2_047)}`, true],
    ["a byte order mark", "\uFEFF{}", "\uFEFF{}", false],
    ["a long text", "é".repeat(40_000), "é".repeat(2_048), true],
    ["a key", `<${key}>`, "<…stuv>", false],
  ])("of %s", (_what, body, text, truncated) => {
    expect(shown(body)).toEqual({ text, truncated });
    expect(shown(Buffer.from(body))).toEqual({ text, truncated });
  });

  it("is empty if there was no body", () => {
    expect(previewBody(undefined, noKey)).toEqual({ text: "", truncated: false });
  });

  it("shows the same for any text as for its bytes", () => {
    assert(
      property(
        string({ unit: "grapheme", maxLength: 20 }),
        integer({ min: 0, max: 5_000 }),
        (text, count) => {
          const body = `${"-".repeat(count)}${text}${"日".repeat(count)}`.toWellFormed();
          expect(shown(body)).toEqual(shown(Buffer.from(body)));
          expect(body.startsWith(shown(body).text)).toBe(true);
        },
      ),
    );
  });

  it.each([
    ["a key of a store", noKey, key],
    [
      "the request's own",
      requestMasks([]).maskOf(["Authorization", "Bearer secret-token-1"]),
      "secret-token-1",
    ],
  ])("shows no part of %s that the cut splits", (_what, mask, secret) => {
    assert(
      property(integer({ min: 4_000, max: 4_200 }), (before) => {
        const body = `${"-".repeat(before)}${secret}${"-".repeat(40_000)}`;
        expect(shown(body, mask).text).toMatch(/^-{4000,}(?:\w{1,4}|…(?:\w\w[\w-]\w)?-*)?$/);
      }),
    );
  });
});
