// What many scripts do: a loop over a keep-alive client, with some concurrency, that records nothing.
// Arguments: `undici` or `http`, a base URL, a key, the rows and the concurrency; prints the ms.
import http from "node:http";
import { Agent, request } from "undici";

type Post = (body: string) => Promise<number>;

const [client = "", baseUrl = "", apiKey = "", rows = "", concurrency = ""] = process.argv.slice(2);
const url = new URL(`${baseUrl}/pets`);
const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" };

const clients: Record<string, () => Post> = {
  undici() {
    const dispatcher = new Agent({ connections: Number(concurrency) });
    return async (body) => {
      const reply = await request(url, { dispatcher, method: "POST", headers, body });
      await reply.body.json();
      return reply.statusCode;
    };
  },
  http() {
    const agent = new http.Agent({ keepAlive: true, maxSockets: Number(concurrency) });
    return (body) =>
      new Promise((resolve, reject) => {
        const length = { "content-length": Buffer.byteLength(body) };
        const options = { agent, method: "POST", headers: { ...headers, ...length } };
        const sent = http.request(url, options, (reply) => {
          let text = "";
          reply.setEncoding("utf8").on("data", (part: string) => (text += part));
          reply.on("end", () => {
            JSON.parse(text);
            resolve(reply.statusCode ?? 0);
          });
        });
        sent.on("error", reject).end(body);
      });
  },
};

const post = clients[client]?.();
if (post === undefined) throw new Error(`no client ${client}`);
const start = performance.now();
let next = 1;
await Promise.all(Array.from({ length: Number(concurrency) }, () => work(post)));
console.log(performance.now() - start);
process.exit();

async function work(send: Post): Promise<void> {
  while (next <= Number(rows)) {
    const row = next++;
    const status = await send(JSON.stringify({ name: `Pet ${row}`, categoryId: row }));
    if (status !== 201) throw new Error(`responded with ${status}`);
  }
}
