// Loaded before the program by a test: an error that nobody catches, while a command runs.
setTimeout(() => {
  throw new Error("made by a test");
}, 300);
