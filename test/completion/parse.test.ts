import { expect, it } from "vitest";
import { pets } from "../../src/cli/pets.ts";
import { positionAfter } from "../../src/completion/parse.ts";

it.each<[string, string, object]>([
  ["", "pets", { taken: 0 }],
  ["list", "list", {}],
  ["ls", "list", {}],
  ["-qo json profile use x", "use", { taken: 1 }],
  ["profile -qojson use", "use", { given: new Set(["--quiet", "--output"]) }],
  ["list --status", "list", { pending: expect.objectContaining({ flags: "--status <status>" }) }],
  ["list --status=sold", "list", { pending: undefined }],
  ["get -5", "get", { taken: 1 }],
  ["list -- --json", "list", { hasEnded: true, taken: 1, given: new Set() }],
  ["serve -- cat x", "serve", { hasEnded: true, taken: 2 }],
  ["nonsense", "pets", { taken: 1 }],
])("after %j is %s", (line, name, rest) => {
  const at = positionAfter(
    pets,
    line.split(" ").filter((word) => word !== ""),
  );
  expect({ ...at, name: at.command.name }).toMatchObject({ name, ...rest });
});
