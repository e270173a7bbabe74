// Retries everything after a doubling delay, whatever the reply says.
import { setTimeout as sleep } from "node:timers/promises";

const { PETS_BASE_URL, PETS_API_KEY } = process.env;
const headers = { Authorization: `Bearer ${PETS_API_KEY}`, "Content-Type": "application/json" };

/** Returns whether it succeeded. */
async function ask(options) {
  for (let delay = 100; delay < 2_000; delay *= 2) {
    try {
      const reply = await fetch(`${PETS_BASE_URL}/pets`, { headers, ...options });
      await reply.text();
      if (reply.ok) return true;
    } catch {
      // Handled like any other failure.
    }
    await sleep(delay);
  }
  return false;
}

for (let n = 1; n <= 8; n += 1) {
  await ask({ method: "POST", body: `{"name":"n${n}","categoryId":1}` });
  await sleep(300);
  await ask();
}
