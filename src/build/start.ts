import { build } from "esbuild";
import { commands } from "../commands/index.ts";

/**
 * What loads all else, made of `entry`: it knows what the `id` of this build is, and the names of the
 * commands.
 */
export async function buildStart(
  root: string,
  entry: "installed" | "standalone",
  id: string,
): Promise<string> {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: [`src/start/${entry}.ts`],
    bundle: true,
    write: false,
    format: "cjs",
    platform: "node",
    target: "node22.19",
    minify: true,
    define: {
      PETS_BUILD: JSON.stringify(id),
      PETS_COMMANDS: JSON.stringify(commands.map(({ name }) => name).join(" ")),
    },
    logLevel: "warning",
  });
  const [output] = outputFiles;
  if (output === undefined) throw new Error(`esbuild made nothing of src/start/${entry}.ts`);
  return output.text;
}
