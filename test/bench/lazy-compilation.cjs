// Loaded before pets: keeps it from changing V8's flags, to measure what that saves.
require("node:v8").setFlagsFromString = () => {};
