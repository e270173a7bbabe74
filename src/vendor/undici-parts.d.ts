// The parts of undici that are used, without the rest: loading all of it takes 20 ms more.

declare module "undici/lib/dispatcher/client.js" {
  export { Client as default } from "undici";
}

declare module "undici/lib/core/connect.js" {
  import type { Socket } from "node:net";
  import type { buildConnector } from "undici";

  /** Returns a connector, which returns the connecting socket; undici's own type leaves that out. */
  export default function build(
    options: buildConnector.BuildOptions,
  ): (options: buildConnector.Options, callback: buildConnector.Callback) => Socket;
}
