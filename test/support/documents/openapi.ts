import { parseExact } from "../../../src/core/json/parse.ts";
import type { RawReply } from "../servers/raw.ts";
import { fits, resolve, type Schema } from "./schema.ts";

interface ToldHeader {
  readonly required: boolean;
  readonly schema: Schema;
}

interface ToldReply {
  readonly headers?: Readonly<Record<string, ToldHeader | { readonly $ref: string }>>;
  readonly content?: { readonly "application/json": { readonly schema: Schema } };
}

interface Operation {
  readonly operationId: string;
  readonly responses: Readonly<Record<string, ToldReply | { readonly $ref: string }>>;
}

export interface OpenApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** The headers of a reply besides those that OpenAPI describes. */
const transport = new Set(["connection", "content-length", "content-type", "date", "keep-alive"]);

export function operationsOf({ paths }: OpenApiDocument) {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([method]) => method !== "servers")
      .map(([method, operation]) => ({ path, method, operation })),
  );
}

/** Returns how a reply of `operation` differs from `document`. */
export function differences(
  reply: RawReply,
  { responses }: Operation,
  document: OpenApiDocument,
): readonly string[] {
  const found = responses[reply.status];
  if (found === undefined) return [`the status ${reply.status}`];
  const told = "$ref" in found ? (resolve(found.$ref, document) as unknown as ToldReply) : found;
  const schema = told.content?.["application/json"].schema;
  const isBody =
    schema === undefined ? reply.body === "" : fits(parseExact(reply.body), schema, document);
  const isJson = reply.headers["content-type"] === "application/json";
  return [
    ...headerDifferences(reply, told, document),
    ...(isBody ? [] : [`the body ${reply.body}`]),
    ...(isJson ? [] : ["the content type"]),
  ];
}

function headerDifferences(
  { headers }: RawReply,
  { headers: told = {} }: ToldReply,
  document: OpenApiDocument,
): readonly string[] {
  const names = new Set(Object.keys(told).map((name) => name.toLowerCase()));
  const untold = Object.keys(headers).filter((name) => !names.has(name) && !transport.has(name));
  const wrong = Object.entries(told).filter(([name, header]) => {
    const { required, schema } = "$ref" in header ? headerAt(header.$ref, document) : header;
    const text = headers[name.toLowerCase()];
    return text === undefined ? required : !fits(valueOf(text, schema), schema, document);
  });
  return [...untold.map((name) => `untold: ${name}`), ...wrong.map(([name]) => `wrong: ${name}`)];
}

const headerAt = (ref: string, document: OpenApiDocument): ToldHeader =>
  resolve(ref, document) as unknown as ToldHeader;

const valueOf = (text: string, { type }: Schema): unknown =>
  type === "integer" && /^\d+$/.test(text) ? Number(text) : text;
