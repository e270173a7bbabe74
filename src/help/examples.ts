/**
 * Command lines to paste, by the path of the command that they are of: `profile use`, and an empty
 * one for pets itself.
 */
export const examples: Readonly<Record<string, readonly string[]>> = {
  "": [
    "pets list --status available",
    "pets add --name Rex --category 1",
    "pets serve --memory --seed 24 -- pets list",
  ],
  list: [
    "pets list --status available",
    "pets list --limit 100 --json | jq length",
    "pets list -o csv --fields name,id > animals.csv",
  ],
  add: [
    "pets add --name Rex --category 1 --status available",
    "id=$(pets add --name Rex --category 1 --quiet)",
    "pets add --from shelter.csv --dry-run",
    "pets add --from shelter.csv -o csv > outcome.csv",
    "pets list -o ndjson | pets add --from - --profile other",
  ],
  get: [
    "pets get 7",
    "name=$(pets get 7 --json --quiet | jq -r .name)",
    "pets list --status available --json | jq '.[] | select(.id == 7)'",
  ],
  login: [
    "pets login --base-url https://store.example/v1",
    "pets login --profile staging --base-url https://staging.example/v1 < key.txt",
  ],
  logout: ["pets logout", "pets logout --profile staging"],
  profile: ["pets profile", "pets profile use staging"],
  "profile list": ["pets profile list", "pets profile list --json | jq -r '.[].name'"],
  "profile use": ["pets profile use staging", "pets profile use local && pets list"],
  "profile show": ["pets profile show", "pets profile show staging -o tsv --fields baseUrl"],
  "profile remove": [
    "pets profile remove staging",
    "pets profile use default && pets profile remove staging",
  ],
  limits: [
    "pets limits",
    "pets limits --json | jq -e '.waitReason == null' && ./add-animals",
    "pets limits --refresh --json | jq -e '.remaining >= 50' && ./add-50-animals",
  ],
  serve: [
    "pets serve --seed 24",
    "pets serve --seed animals.ndjson -- ./test.sh",
    "pets serve --fault 429:0.1,500:0.05 --latency 100±50 -- ./test.sh",
    "pets serve --data postgres://pets@localhost/pets",
    "pets serve --host 0.0.0.0 --tls-cert cert.pem --tls-key key.pem",
  ],
  keys: [
    "pets keys",
    "key=$(pets keys add --plan pro --quiet)",
    "pets keys revoke 1f2e3d4c5b6a7988 --data postgres://pets@localhost/pets",
  ],
  "keys list": ["pets keys list", "pets keys list --data shop.db --json | jq -r '.[].plan'"],
  "keys add": [
    "key=$(pets keys add --plan pro --quiet)",
    "pets keys add --plan 120/min,5000/day --data shop.db",
  ],
  "keys revoke": [
    "pets keys revoke 1f2e3d4c5b6a7988",
    "pets keys revoke 1f2e3d4c5b6a7988 --data postgres://pets@localhost/pets",
  ],
  completion: ["pets completion bash > ~/.pets.bash", "pets completion zsh > _pets"],
  help: ["pets help add", "pets help profile use", "pets help exit-codes"],
};
