// One request by undici's RetryAgent, with its defaults, except that it also retries POST.
const { Agent, request, RetryAgent } = require("undici");

const { PETS_BASE_URL, PETS_API_KEY } = process.env;
const [name] = process.argv.slice(2);
const dispatcher = new RetryAgent(new Agent(), { methods: ["GET", "POST"], statusCodes: [429] });
const headers = { authorization: `Bearer ${PETS_API_KEY}`, "content-type": "application/json" };
const add = { method: "POST", body: JSON.stringify({ name, categoryId: 1 }) };

void request(`${PETS_BASE_URL}/pets`, { dispatcher, headers, ...(name !== undefined && add) })
  .then(({ statusCode, body }) => body.dump().then(() => statusCode < 300))
  .catch(() => false)
  .then((isDone) => {
    process.exitCode = isDone ? 0 : 1;
    return dispatcher.close();
  });
