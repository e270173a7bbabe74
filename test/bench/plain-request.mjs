// The request of `pets list --json` as a plain script: what start-up is compared with.
import { request } from "node:http";

const { PETS_BASE_URL, PETS_API_KEY } = process.env;
const headers = { authorization: `Bearer ${PETS_API_KEY}` };
request(`${PETS_BASE_URL}/pets`, { headers }, async (response) => {
  console.log(JSON.stringify(JSON.parse((await response.toArray()).join(""))));
}).end();
