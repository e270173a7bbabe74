import { MagicString } from "magic-string";
import { parseSync } from "oxc-parser";

/**
 * `code`, a bundle in CommonJS, with the functions that hold its modules in brackets: V8 compiles
 * those with the file, and Node's compile cache keeps only what was compiled with the file. Without
 * it every start compiles again each module that it runs.
 */
export function compileModulesWithFile(file: string, code: string): string {
  const { program } = parseSync(file, code, { sourceType: "script" });
  const text = new MagicString(code);
  for (const { start, end } of program.body.flatMap(moduleFunctions)) {
    text.appendLeft(start, "(").appendRight(end, ")");
  }
  return text.toString();
}

type Statement = ReturnType<typeof parseSync>["program"]["body"][number];

/** The functions that a statement such as `var x = wrap(() => {…})` hands over. */
function moduleFunctions(statement: Statement) {
  if (statement.type !== "VariableDeclaration") return [];
  return statement.declarations.flatMap(({ init }) =>
    init?.type === "CallExpression"
      ? init.arguments.filter(({ type }) => type === "ArrowFunctionExpression")
      : [],
  );
}
