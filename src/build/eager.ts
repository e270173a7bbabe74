import { MagicString } from "magic-string";
import { parseSync } from "oxc-parser";

type Statement = ReturnType<typeof parseSync>["program"]["body"][number];

/**
 * `code`, a bundle in CommonJS, with functions in brackets: V8 compiles those with the file, and
 * Node's compile cache keeps only what was compiled with the file. Without it every start compiles
 * again what it runs. Those that hold the modules are put in brackets always; `all` does it with
 * every function, for a file of which nearly everything is run.
 */
export function compileWithFile(file: string, code: string, { all }: { all: boolean }): string {
  const { program } = parseSync(file, code, { sourceType: "script" });
  const text = new MagicString(code);
  for (const { start, end } of program.body.flatMap(moduleFunctions)) {
    text.appendLeft(start, "(").appendRight(end, ")");
  }
  if (all) bracketDeclarations(text, program.body);
  return text.toString();
}

/** The functions that a statement such as `var x = wrap(() => {…})` hands over. */
function moduleFunctions(statement: Statement) {
  if (statement.type !== "VariableDeclaration") return [];
  return statement.declarations.flatMap(({ init }) =>
    init?.type === "CallExpression"
      ? init.arguments.filter(({ type }) => type === "ArrowFunctionExpression")
      : [],
  );
}

/** Makes each `function f() {…}` a `var f = (function f() {…})`, before all that may call it. */
function bracketDeclarations(text: MagicString, statements: readonly Statement[]): void {
  const place = statements.find(
    (statement) => statement.type !== "FunctionDeclaration" && !("directive" in statement),
  )?.start;
  for (const statement of statements) {
    if (statement.type !== "FunctionDeclaration" || statement.id === null) continue;
    const { start, end, id } = statement;
    text.prependRight(start, `var ${id.name}=(`).appendLeft(end, ");");
    if (place !== undefined) text.move(start, end, place);
  }
}
