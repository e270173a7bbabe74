// A bare server that answers with the bytes that it is given over the channel to the parent: status,
// headers and body of a store's replies to GET and POST.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A reply as it is sent. */
export interface BareReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Replies by method. */
export type BareReplies = Readonly<Record<string, BareReply>>;

process.once("message", (replies: BareReplies) => {
  const server = createServer((request, response) => {
    const reply = replies[request.method ?? ""];
    const answer = (): void =>
      void response.writeHead(reply?.status ?? 404, reply?.headers).end(reply?.body);
    if (request.method !== "POST") answer();
    else {
      const chunks: Uint8Array[] = [];
      request.on("data", (chunk: Uint8Array) => chunks.push(chunk));
      request.on("end", () => {
        JSON.parse(Buffer.concat(chunks).toString());
        answer();
      });
    }
  });
  server.keepAliveTimeout = 60_000;
  server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
});
process.once("disconnect", () => process.exit());
