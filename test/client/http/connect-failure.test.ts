import { describe, expect, it } from "vitest";
import {
  codeOf,
  ConnectFailure,
  connectFailure,
} from "../../../src/client/http/connect-failure.ts";

const error = (code: string, message = "text") => Object.assign(new Error(message), { code });

describe("connectFailure", () => {
  it.each<[unknown, object | undefined, object]>([
    [
      error("ECONNREFUSED"),
      undefined,
      { kind: "network", message: "x could not be reached: connection refused", final: false },
    ],
    [
      error("HPE_INVALID_CONSTANT"),
      undefined,
      { kind: "network", message: "x could not be reached: it does not speak HTTP" },
    ],
    [error("EOTHER"), undefined, { message: "x could not be reached: text" }],
    [new Error("odd"), undefined, { message: "x could not be reached: odd" }],
    [
      error("ERR_SSL_WRONG_VERSION_NUMBER"),
      undefined,
      {
        kind: "tls",
        message: "x failed the TLS handshake (ERR_SSL_WRONG_VERSION_NUMBER)",
        final: true,
      },
    ],
    [
      error("X", "self-signed certificate; if the root CA is installed locally, try running Node"),
      { authorizationError: "X" },
      {
        kind: "certificate",
        message: "the certificate of x is not accepted: self-signed certificate",
        final: true,
      },
    ],
  ])("%s", (cause, socket, expected) => {
    expect(connectFailure(cause, socket, "x")).toMatchObject(expected);
  });

  it("returns a ConnectFailure unchanged", () => {
    const failure = new ConnectFailure("network", "refused", { final: true });
    expect(connectFailure(failure, undefined, "x")).toBe(failure);
  });
});

describe("codeOf", () => {
  it.each<[unknown, string]>([
    [error("EPIPE"), "EPIPE"],
    [new Error("x"), ""],
    [Object.assign(new Error("x"), { code: 7 }), ""],
    ["EPIPE", ""],
  ])("%s: %j", (value, expected) => {
    expect(codeOf(value)).toBe(expected);
  });
});
