// Loaded before pets: prevents it from changing V8's flags, to measure what they save.
require("node:v8").setFlagsFromString = () => {};
