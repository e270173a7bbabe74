// What many scripts do: a loop over a keep-alive client, with some concurrency, that records nothing.
// Arguments: a base URL, a key, the rows and the concurrency.
import { Agent, request } from "undici";

const [baseUrl = "", apiKey = "", rows = "", concurrency = ""] = process.argv.slice(2);
const url = new URL(`${baseUrl}/pets`);
const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" };
const dispatcher = new Agent({ connections: Number(concurrency) });
let next = 1;
await Promise.all(Array.from({ length: Number(concurrency) }, work));
process.exit();

async function work(): Promise<void> {
  while (next <= Number(rows)) {
    const row = next++;
    const body = JSON.stringify({ name: `Pet ${row}`, categoryId: row });
    const reply = await request(url, { dispatcher, method: "POST", headers, body });
    await reply.body.json();
    if (reply.statusCode !== 201) throw new Error(`responded with ${reply.statusCode}`);
  }
}
