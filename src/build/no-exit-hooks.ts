/**
 * Stands in the bundle for when-exit, with which conf's file writer removes its temporary files when
 * a signal ends the process. It answers every signal by sending it once more, and a second SIGINT
 * makes `pets` leave at once, without a word. Nothing is lost: conf writes without giving way to
 * signals, and what a killed writer leaves is cleared away by the next one.
 */
export default function whenExit(): void {}
