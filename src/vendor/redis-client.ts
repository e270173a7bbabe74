// Only the client of one server: loading the whole package takes 50 ms more (test/bench/gate-fleet-cpu.ts).
import client from "@redis/client/dist/lib/client/index.js";

export const createClient = client.default.create;
