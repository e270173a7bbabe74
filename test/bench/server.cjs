// A bare server that answers every request with the same twenty animals.
const { createServer } = require("node:http");

const statuses = ["available", "pending", "sold"];
const pets = Array.from({ length: 20 }, (_, n) => ({
  id: n + 1,
  name: `Animal ${n + 1}`,
  categoryId: n % 5,
  status: statuses[n % 3],
}));
const body = JSON.stringify(pets);

const server = createServer((_request, response) => {
  response.setHeader("content-type", "application/json").end(body);
});
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
