import { expect, it } from "vitest";
import { runInTime } from "../support/command/world.ts";
import { envFor } from "../support/program/program.ts";
import { petsFile, rowLines } from "../support/servers/imports.ts";
import { type Answer, startStranger } from "../support/servers/stranger.ts";

/** Adds an animal. */
const add: Answer = ({ body }, response, n) => {
  response
    .writeHead(201, { "content-type": "application/json" })
    .end(JSON.stringify({ id: n, ...(JSON.parse(body) as object) }));
};

const unavailable: Answer = (_request, response) =>
  void response.writeHead(503).end("<h1>503</h1>");

it("a service that fails slows the run to one row at a time until one succeeds, and then the run finishes", async () => {
  let since = Number.POSITIVE_INFINITY;
  let most = 0;
  let inFlight = 0;
  const store = await startStranger((request, response, n) => {
    since = Math.min(since, performance.now());
    const isDown = performance.now() - since < 4000;
    inFlight += 1;
    if (n >= 8) most = Math.max(most, isDown ? inFlight : 0);
    setTimeout(() => {
      inFlight -= 1;
      if (isDown) unavailable(request, response, n);
      else add(request, response, n);
    }, 20);
  });
  const run = await runInTime(["add", "--from", petsFile(40), "-o", "ndjson"], {
    env: envFor(store),
  });
  expect(run.code).toBe(9);
  const outcomes = rowLines(run.stdout).map(({ outcome }) => outcome);
  expect(outcomes.filter((outcome) => outcome === "added").length).toBeGreaterThan(25);
  expect(most).toBeLessThanOrEqual(1);
}, 180_000);
