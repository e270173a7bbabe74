// Loaded before the program by a test: throws an uncaught error at the signal SIGUSR2.
process.on("SIGUSR2", () => {
  throw new Error("made by a test");
});
