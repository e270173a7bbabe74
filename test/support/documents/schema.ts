export type Schema = Readonly<Record<string, unknown>>;

/** The check of a keyword of JSON Schema: whether `value` satisfies `rule`. */
type Check = (value: unknown, rule: unknown, document: unknown) => boolean;

const isObject = (value: unknown): value is Schema =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isInteger = (value: unknown): value is number | bigint =>
  typeof value === "bigint" || Number.isInteger(value);

const types: Readonly<Record<string, (value: unknown) => boolean>> = {
  object: isObject,
  array: Array.isArray,
  string: (value) => typeof value === "string",
  integer: isInteger,
};

const always: Check = () => true;

const checks: Readonly<Record<string, Check>> = {
  description: always,
  default: always,
  $ref: (value, rule, document) => fits(value, resolve(String(rule), document), document),
  allOf: (value, rule, document) => (rule as Schema[]).every((one) => fits(value, one, document)),
  type: (value, rule) => types[String(rule)]?.(value) ?? false,
  format: (value, rule) =>
    rule === "int64" && isInteger(value) && BigInt.asIntN(64, BigInt(value)) === BigInt(value),
  enum: (value, rule) => (rule as unknown[]).includes(value),
  const: (value, rule) => value === rule,
  minimum: (value, rule) => isInteger(value) && value >= Number(rule),
  maximum: (value, rule) => isInteger(value) && value <= Number(rule),
  minLength: (value, rule) => String(value).length >= Number(rule),
  pattern: (value, rule) => new RegExp(String(rule), "u").test(String(value)),
  maxItems: (value, rule) => Array.isArray(value) && value.length <= Number(rule),
  items: (value, rule, document) =>
    Array.isArray(value) && value.every((item) => fits(item, rule as Schema, document)),
  required: (value, rule) => isObject(value) && (rule as string[]).every((name) => name in value),
  properties: (value, rule, document) =>
    isObject(value) &&
    Object.entries(rule as Record<string, Schema>).every(
      ([name, schema]) => !(name in value) || fits(value[name], schema, document),
    ),
};

/**
 * Returns whether `value` is valid by `schema`, which may refer to parts of `document`. Integers may be
 * bigints. Throws for a keyword that it does not know.
 */
export function fits(value: unknown, schema: Schema, document: unknown): boolean {
  return Object.entries(schema).every(([keyword, rule]) => {
    const check = checks[keyword];
    if (check === undefined) throw new Error(`the keyword ${keyword} is not known here`);
    return check(value, rule, document);
  });
}

/** Returns the part of `document` that `ref` (`#/a/b`) refers to. Throws if there is none. */
export function resolve(ref: string, document: unknown): Schema {
  let part = document;
  for (const step of ref.replace(/^#\//, "").split("/"))
    part = isObject(part) ? part[step] : undefined;
  if (!isObject(part)) throw new Error(`there is nothing at ${ref}`);
  return part;
}
