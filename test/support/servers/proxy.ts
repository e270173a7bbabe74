import { createServer } from "node:http";
import { connect } from "node:net";
import { listen } from "./free-port.ts";

/** Starts a proxy that connects every host that CONNECT names to `port` of this machine. */
export async function startProxy(
  port: number,
): Promise<{ readonly url: string; readonly close: () => void }> {
  const server = createServer().on("connect", (_request, client) => {
    const service = connect(port, "127.0.0.1", () => {
      client.write("HTTP/1.1 200 OK\r\n\r\n");
      client.pipe(service).pipe(client);
    });
    service.on("error", () => client.destroy());
    client.on("error", () => service.destroy());
  });
  return { url: `http://127.0.0.1:${await listen(server)}`, close: () => void server.close() };
}
