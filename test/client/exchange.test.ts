import { expect, it } from "vitest";
import { Exchange } from "../../src/client/exchange.ts";
import { systemClock } from "../support/command/machine.ts";
import { secretsOf } from "../support/command/secrets.ts";
import { reply, startStranger } from "../support/servers/stranger.ts";

it("sends the key and the name of the program whatever headers a request has", async () => {
  const { baseUrl, requests } = await startStranger(reply(200, "[]"));
  const events: string[] = [];
  const exchange = new Exchange({
    baseUrl: new URL(baseUrl),
    apiKey: "secret-key-1234",
    secrets: secretsOf("secret-key-1234"),
    userAgent: "pets/1",
    timeoutMs: 9_000,
    env: {},
    clock: systemClock,
    signal: new AbortController().signal,
    onEvent: (event) => events.push(JSON.stringify(event)),
  });
  const headers = { authorization: "Basic x", "user-agent": "y", "x-own": "z" };
  const path = "/v1/pets?name=secret-key-1234";
  expect(await exchange.send({ method: "GET", path, headers })).toMatchObject({ kind: "reply" });
  expect(requests[0]?.headers).toMatchObject({
    authorization: "Bearer secret-key-1234",
    "user-agent": "pets/1",
    "x-own": "z",
  });
  expect(events.join()).toContain('"type":"request"');
  expect(events.join()).not.toContain("secret-key");
});
