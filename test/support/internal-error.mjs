// Loaded before the program by a test: an error that nobody catches, at the signal SIGUSR2.
process.on("SIGUSR2", () => {
  throw new Error("made by a test");
});
