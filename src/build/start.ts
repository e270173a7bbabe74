import { build } from "esbuild";

/**
 * The text of `dist/start.cjs`, or of the like that is made of another `entry`, which loads all else
 * and is loaded by Node itself: it knows what the `id` of this build is, and the names of the commands.
 */
export async function buildStart(
  root: string,
  entry: "start" | "standalone",
  id: string,
  commands: readonly string[],
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
      PETS_COMMANDS: JSON.stringify(commands.join(" ")),
    },
    logLevel: "warning",
  });
  const [output] = outputFiles;
  if (output === undefined) throw new Error(`esbuild made nothing of src/start/${entry}.ts`);
  return output.text;
}
