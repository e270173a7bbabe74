import { createHash } from "node:crypto";
import type { RouteResponse } from "../api/response.ts";

// Inserted by the build, wherever it stands: the page as one HTML file, made from app/.
declare const PAGE_HTML: string;

/** Returns the page: only its own script and style run, no frame holds it, no text is markup (CSP 3; Trusted Types). */
export function builtPage(html = PAGE_HTML): RouteResponse {
  const policy = [
    "default-src 'none'",
    `script-src ${hashOf(html, "script")}`,
    `style-src ${hashOf(html, "style")}`,
    "connect-src 'self'",
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ];
  const headers = {
    "Content-Type": "text/html; charset=utf-8",
    "Content-Security-Policy": policy.join("; "),
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
  };
  return { status: 200, body: html, headers };
}

/** Returns the source expression of the one `element` in `html`. */
function hashOf(html: string, element: "script" | "style"): string {
  const content = new RegExp(`<${element}>([\\s\\S]*?)</${element}>`).exec(html)?.[1] ?? "";
  return `'sha256-${createHash("sha256").update(content).digest("base64")}'`;
}
