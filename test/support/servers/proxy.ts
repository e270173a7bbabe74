import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";

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
  await once(server.listen(0, "127.0.0.1"), "listening");
  const address = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${address.port}`, close: () => void server.close() };
}
