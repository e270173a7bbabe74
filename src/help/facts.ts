import { settingVariables } from "../config/settings.ts";
import { type FailureKind, failureKinds } from "../core/errors.ts";

type Kinds = (typeof failureKinds)[FailureKind];

/** What each exit code means. */
const exitCodes: Readonly<Record<0 | Kinds["exitCode"], string>> = {
  0: "success; also if the reader of standard output has gone (`pets list | head -1`)",
  1: "anything else: a file cannot be read or written, a port is in use, an internal error",
  2: "wrong usage or invalid input, found by `pets` (nothing was sent) or by the service (400, 422, other 4xx)",
  3: "not found (404)",
  4: "authentication failed: no API key, key bound to another origin, or key or request rejected (401, 403)",
  5: "rate limited: the wait would exceed `--max-wait`, or the service refused again after waiting",
  6: "the service is unreachable (DNS, connection, TLS, proxy) or did not respond in time",
  7: "the service failed: 5xx, 405, 410, a redirect, or an invalid response",
  8: "outcome unknown: the animal may or may not have been added (import: all that is missing); look first",
  9: "import: at least one row was not added",
  129: "hung up (SIGHUP, which is ignored without a terminal)",
  130: "interrupted (SIGINT)",
  143: "terminated (SIGTERM); `pets serve` ends with 0",
};

/** What each code of an error in JSON means, if the service sent none. */
const errorCodes: Readonly<
  Record<Kinds["code"] | "key_not_for_origin" | "timeout" | "already_added", string>
> = {
  usage: "wrong usage or invalid input",
  not_found: "the animal, import or key of a store does not exist",
  no_api_key: "no API key, no profile, or the key command printed none",
  key_not_for_origin: "the key of the profile may not be sent to this origin",
  network: "the service is unreachable",
  timeout: "no response in time",
  bad_response: "the service failed, or sent no code with a 401, 403 or 404, or an invalid body",
  rate_limited: "the wait would exceed `--max-wait`, or the service refused again after waiting",
  outcome_unknown: "the animal may or may not have been added; import: some may or may not",
  already_added: "import: some of the rows were added earlier, or may have been",
  partial: "import: at least one row was not added",
  interrupted: "SIGINT, SIGTERM or SIGHUP",
  io: "a file, port or stream cannot be used",
  internal: "a bug in `pets`",
};

/** What each variable of the environment means. */
const variables: Readonly<Record<string, string>> = {
  PETS_API_KEY: "API key; no flag takes a key",
  ...settingVariables(),
  PETS_LIMITER_PASSWORD: "password for the server in `PETS_LIMITER`",
  PETS_NO_DEPRECATION: "`1` silences deprecation notices",
  PETS_SERVE_KEY: "API key for `pets serve` (default: generated)",
  PGPASSWORD: "password for `--data postgres://…`",
  NO_COLOR: "if not empty: no color",
  FORCE_COLOR: "color even without a terminal; `0`: no color",
  CLICOLOR_FORCE: "if not empty or `0`: color even without a terminal, unless `NO_COLOR` is set",
  CLICOLOR: "`0`: no color",
  TERM: "`dumb`: no color, no progress bar",
  ACCESSIBLE: "if not empty or `0`: lines instead of a moving progress bar",
  CI: "if not empty: prompt for nothing",
  GITHUB_ACTIONS: "`true`: annotate the invalid rows of an imported file",
  GITHUB_WORKSPACE: "directory to which the file names of annotations are relative",
  HTTPS_PROXY: "proxy for `https:`; lower-case names of these four take precedence",
  HTTP_PROXY: "proxy for `http:`",
  ALL_PROXY: "proxy for both, if they have none of their own",
  NO_PROXY:
    "hosts and networks (`10.0.0.0/8`) to reach without a proxy; loopback addresses never use one",
  NODE_EXTRA_CA_CERTS: "file with additional certificate authorities to trust",
  NODE_USE_SYSTEM_CA: "`1`: trust the certificate authorities of the system as well",
  NODE_COMPILE_CACHE: "directory for compiled code, instead of that below `XDG_CACHE_HOME`",
  NODE_DISABLE_COMPILE_CACHE: "`1`: do not cache compiled code",
  TZ: "time zone of the times in texts, such as `Europe/Berlin`",
  TMPDIR: "directory for temporary files",
  XDG_CONFIG_HOME: "directory for profiles",
  XDG_DATA_HOME: "directory for the data of `pets serve`",
  XDG_STATE_HOME: "directory for rate-limit state and records of imports",
  XDG_CACHE_HOME: "directory for compiled code",
};

/** The facts that stand in code alone, by what topics call them. Their meanings are Markdown. */
export const facts = { "exit codes": exitCodes, "error codes": errorCodes, variables };
