import * as z from "zod/mini";
import { badRequest } from "../api/errors.ts";

/** Returns what `schema` makes of `source`. Throws an ApiError (400) that names field, value, and what is allowed. */
export function readInput<Shape extends z.core.$ZodLooseShape>(
  schema: z.ZodMiniObject<Shape, z.core.$strict>,
  source: Readonly<Record<string, unknown>>,
) {
  const result = schema.safeParse(source);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  if (issue?.code === "unrecognized_keys") {
    const names = Object.keys(schema.shape).join(", ");
    throw badRequest(`unknown field ${shown(issue.keys[0])}; fields are ${names}`);
  }
  const field = String(issue?.path[0]);
  throw badRequest(`${field} must be ${issue?.message}, not ${shown(source[field])}`);
}

/** Accepts the texts for which `parse` returns a value; `allowed` says what they are. */
export function parsed<T>(allowed: string, parse: (text: string) => T | undefined) {
  return z.pipe(
    z.string(allowed),
    z.transform((input, context) => {
      const value = parse(input);
      if (value !== undefined) return value;
      context.issues.push({ code: "custom", message: allowed, input });
      return z.NEVER;
    }),
  );
}

/** Returns a value as it was written, cut after 60 characters. */
export function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
