export { bigint, enum, NEVER, object, optional, pipe, string, transform } from "zod/mini";
