import * as z from "zod/mini";
import { mustBe, shown, type Syntax } from "../../core/syntax.ts";
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
  throw badRequest(mustBe(field, issue?.message ?? "", shown(source[field])));
}

/** Accepts the texts of a syntax. */
export function parsed<T>({ parse, allowed }: Syntax<T>) {
  return z.pipe(
    z.string(allowed("")),
    z.transform((input, context) => {
      const value = parse(input);
      if (value !== undefined) return value;
      context.issues.push({ code: "custom", message: allowed(input), input });
      return z.NEVER;
    }),
  );
}
