/** An environment variable that the program reads, and what it means, in a line. */
export interface EnvironmentVariable {
  readonly name: string;
  readonly meaning: string;
}

/** Every environment variable that the program reads, in the order of `pets help environment`. */
export const environmentVariables: readonly EnvironmentVariable[] = [
  { name: "PETS_API_KEY", meaning: "the API key; no flag takes one" },
  { name: "PETS_BASE_URL", meaning: "the address of the service, as --base-url" },
  { name: "PETS_PROFILE", meaning: "the profile to use, as --profile" },
  { name: "PETS_OUTPUT", meaning: "table, json, ndjson, csv or tsv, as --output" },
  { name: "PETS_TIMEOUT", meaning: "the longest that one request may take, as --timeout" },
  { name: "PETS_MAX_WAIT", meaning: "the longest to wait when told to, as --max-wait" },
  { name: "PETS_NO_DEPRECATION", meaning: "1 silences the warnings of deprecation" },
  { name: "PETS_SERVE_KEY", meaning: "the key of `pets serve`, in place of a made-up one" },
  { name: "PGPASSWORD", meaning: "the password for --data postgres://…" },
  { name: "NO_COLOR", meaning: "not empty: no colour" },
  { name: "FORCE_COLOR", meaning: "colour also without a terminal; 0: none" },
  { name: "TERM", meaning: "dumb: no colour" },
  { name: "HTTPS_PROXY", meaning: "the proxy for https:, never used for loopback addresses" },
  { name: "HTTP_PROXY", meaning: "the proxy for http:, never used for loopback addresses" },
  { name: "ALL_PROXY", meaning: "the proxy for both, where they have none of their own" },
  { name: "NO_PROXY", meaning: "hosts that are reached without a proxy" },
  { name: "NODE_EXTRA_CA_CERTS", meaning: "a file of further certificate authorities to trust" },
  { name: "NODE_COMPILE_CACHE", meaning: "the folder for compiled code, for faster starts" },
  { name: "TMPDIR", meaning: "the folder for temporary files" },
  { name: "XDG_CONFIG_HOME", meaning: "the folder whose pets/config.json holds the profiles" },
  { name: "XDG_DATA_HOME", meaning: "the folder for the animals of `pets serve`" },
  { name: "XDG_STATE_HOME", meaning: "the folder for shared limits, and journals of add --from" },
];
