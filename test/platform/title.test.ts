import { describe, expect, it } from "vitest";
import { redactedTitle } from "../../src/platform/title.ts";

describe("the title of a process", () => {
  it.each([
    ["postgres://u:s3cret@h/shop", "postgres://u@h/shop"],
    ["--data=postgres://u:s3cret@h:5432/shop?a=b", "--data=postgres://u@h:5432/shop?a=b"],
    ["POSTGRESQL://u:s3/cr@et@h/shop", "POSTGRESQL://u@h/shop"],
    ["postgres:/u:s3cret@h/shop", "postgres:/u@h/shop"],
    ["postgres:u:s3cret@h/shop", "postgres:u@h/shop"],
    ["rediss://u:s3cret@h:6379/2", "rediss://u@h:6379/2"],
    ["--limiter=redis://:s3cret@h", "--limiter=redis://@h"],
    ["postgres://h/shop?user=u&password=s3cret&a=b", "postgres://h/shop?user=u&password=&a=b"],
  ])("shows %s without the password", (word, shown) => {
    expect(redactedTitle(["pets", "serve", word])).toBe(`pets serve ${shown}`);
  });

  it.each(["postgres://h/shop", "postgres://u@h:5432/shop", "store.db", "add Rex:a@b"])(
    "does not change for %s",
    (word) => {
      expect(redactedTitle(["pets", word])).toBeUndefined();
    },
  );
});
