export { commandHelp } from "./render-text.ts";
export { findCommand, pathsBelow, wordsOf } from "./sections.ts";
