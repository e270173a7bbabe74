import path from "node:path";
import type { Failure } from "../core/errors.ts";
import { escapeControls } from "../core/sanitize.ts";
import type { Environment } from "../platform/io.ts";

/** How many lines of a file are annotated. */
const maxAnnotations = 10;

/**
 * Returns the lines that make GitHub Actions show the invalid rows of a file beside its lines (workflow commands);
 * none elsewhere. The file is relative to the workspace if it is inside.
 */
export function annotations({ facts }: Failure, env: Environment): readonly string[] {
  const { details = [], file } = facts;
  if (env.GITHUB_ACTIONS !== "true") return [];
  const place = file === undefined ? "" : `file=${escapeProperty(inWorkspace(file, env))},`;
  return details.slice(0, maxAnnotations).map(({ line, textLine = line, field, message }) => {
    const text = field === undefined ? message : `${field} ${message}`;
    return `::error ${place}line=${textLine}::${escapeData(text)}`;
  });
}

function inWorkspace(file: string, { GITHUB_WORKSPACE: workspace = "" }: Environment): string {
  const relative = path.relative(workspace, file);
  const isInside =
    workspace !== "" && relative.split(path.sep)[0] !== ".." && !path.isAbsolute(relative);
  return isInside ? relative.replaceAll(path.sep, "/") : file;
}

function escapeData(text: string): string {
  const escaped = text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
  return escapeControls(escaped);
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}
