import * as z from "zod/mini";

/** The body of an error response. */
export const errorBodySchema = z.object({
  code: z.string(),
  message: z.string(),
  status: z.int(),
});

export type ErrorBody = Readonly<z.core.output<typeof errorBodySchema>>;
