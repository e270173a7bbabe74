export {
  bigint,
  type core,
  enum,
  int,
  NEVER,
  object,
  optional,
  pipe,
  string,
  transform,
} from "zod/mini";
