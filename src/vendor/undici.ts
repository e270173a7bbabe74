// Only the parts of undici that are used: loading all of it costs 20 ms more.
export { default as buildConnect } from "undici/lib/core/connect.js";
export { default as Client } from "undici/lib/dispatcher/client.js";
