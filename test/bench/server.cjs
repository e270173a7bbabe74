// A bare server that responds with as many of the same animals as are asked for, 20 by default.
const { createServer } = require("node:http");

const statuses = ["available", "pending", "sold"];
const pets = Array.from({ length: 100 }, (_, n) => ({
  id: n + 1,
  name: `Animal ${n + 1}`,
  categoryId: n % 5,
  status: statuses[n % 3],
}));
const bodies = pets.map((_pet, n) => JSON.stringify(pets.slice(0, n + 1)));

const server = createServer((request, response) => {
  const [, limit = "20"] = /limit=(\d+)/.exec(request.url) ?? [];
  response.setHeader("content-type", "application/json").end(bodies[limit - 1]);
});
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
