import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import { builtPage } from "../../../src/server/page/html.ts";

const sha256 = (text: string): string =>
  `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

it("lets the page run and load only its own script and style, and forbids frames", () => {
  const { headers = {} } = builtPage("<style>a{}\n</style><script>run()</script>");
  const policy = headers["Content-Security-Policy"]?.split("; ");
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain(`script-src ${sha256("run()")}`);
  expect(policy).toContain(`style-src ${sha256("a{}\n")}`);
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy?.join()).not.toMatch(/unsafe|\*/);
  expect(headers).toMatchObject({
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
  });
});
