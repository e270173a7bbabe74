/** Thrown for a script that makes no sense; the message names the line. */
export class ScriptError extends Error {}
