// undici's RetryAgent with its defaults: it waits for Retry-After, but does not retry a POST.
import { setTimeout as sleep } from "node:timers/promises";
import { Agent, request, RetryAgent } from "undici";

const { PETS_BASE_URL, PETS_API_KEY } = process.env;
const headers = { authorization: `Bearer ${PETS_API_KEY}`, "Content-Type": "application/json" };
const dispatcher = new RetryAgent(new Agent());

async function ask(options) {
  try {
    const { body } = await request(`${PETS_BASE_URL}/pets`, { dispatcher, headers, ...options });
    await body.dump();
  } catch {
    // It has given up.
  }
}

for (let n = 1; n <= 8; n += 1) {
  await ask({ method: "POST", body: `{"name":"n${n}","categoryId":1}` });
  await sleep(300);
  await ask({ method: "GET" });
}
await dispatcher.close();
