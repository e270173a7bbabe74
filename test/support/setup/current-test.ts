import { aroundEach } from "vitest";
import { current } from "../program/when-finished.ts";

// Runs for each file: modules are loaded once a worker, and hooks belong to a file.
aroundEach((runTest, context) => current.run(context, runTest));
