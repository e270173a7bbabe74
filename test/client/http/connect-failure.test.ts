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
      { kind: "never_sent", reason: "x could not be reached: connection refused", refused: true },
    ],
    [
      error("HPE_INVALID_CONSTANT"),
      undefined,
      { kind: "never_sent", reason: "x could not be reached: it does not speak HTTP" },
    ],
    [error("EOTHER"), undefined, { reason: "x could not be reached: text" }],
    [new Error("odd"), undefined, { reason: "x could not be reached: odd" }],
    [
      error("ERR_SSL_WRONG_VERSION_NUMBER"),
      undefined,
      {
        kind: "tls",
        reason: "x failed the TLS handshake (ERR_SSL_WRONG_VERSION_NUMBER)",
        certificate: false,
      },
    ],
    [
      error("X", "self-signed certificate; if the root CA is installed locally, try running Node"),
      { authorizationError: "X" },
      {
        kind: "tls",
        reason: "the certificate of x is not accepted: self-signed certificate",
        certificate: true,
      },
    ],
  ])("%s", (cause, socket, expected) => {
    expect(connectFailure(cause, socket, "x").outcome).toMatchObject(expected);
  });

  it("returns a ConnectFailure unchanged", () => {
    const failure = new ConnectFailure({ kind: "never_sent", reason: "refused", final: true });
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
