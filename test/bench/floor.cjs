// The least a JSON client on Node can do: what `pets list --json` is measured against.
const { request } = require("node:http");

const { PETS_BASE_URL, PETS_API_KEY } = process.env;
const headers = { authorization: `Bearer ${PETS_API_KEY}`, accept: "application/json" };

request(`${PETS_BASE_URL}/pets`, { headers }, (response) => {
  let text = "";
  response.setEncoding("utf8");
  response.on("data", (chunk) => (text += chunk));
  response.on("end", () => process.stdout.write(`${JSON.stringify(JSON.parse(text))}\n`));
}).end();
