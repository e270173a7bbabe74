export {
  type core,
  enum,
  int,
  object,
  optional,
  refine,
  safeParse,
  string,
  transform,
} from "zod/mini";
