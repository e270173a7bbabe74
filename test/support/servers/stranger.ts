import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { whenFinished } from "../program/when-finished.ts";
import { listen } from "./free-port.ts";

interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

export interface Stranger {
  /** Ends in `/v1`. */
  readonly baseUrl: string;
  readonly requests: readonly SeenRequest[];
}

/** Returns the reply of a third-party server to its n-th request, from 0. */
export type Answer = (request: SeenRequest, response: ServerResponse, n: number) => void;

/** Starts a server on a free port that replies by `answer`, until the test ends. */
export async function startStranger(answer: Answer): Promise<Stranger> {
  const requests: SeenRequest[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const seen = {
        method: request.method ?? "",
        url: request.url ?? "",
        headers: request.headers,
        body: Buffer.concat(chunks).toString(),
      };
      requests.push(seen);
      answer(seen, response, requests.length - 1);
    });
  });
  const port = await listen(server);
  whenFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { baseUrl: `http://127.0.0.1:${port}/v1`, requests };
}

/** Returns a reply of `status` with `body` as JSON text. */
export function reply(status: number, body: string, headers: Record<string, string> = {}): Answer {
  return (_request, response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers }).end(body);
  };
}

export function errorBody(status: number, code: string, message: string): string {
  return JSON.stringify({ code, message, status });
}
