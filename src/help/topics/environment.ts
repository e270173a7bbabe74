import { environmentVariables } from "../../config/environment.ts";
import type { Topic } from "./topic.ts";

export const environment: Topic = {
  heading: "Environment",
  blocks: [
    "Environment variables that pets reads. A flag beats a variable, a variable beats the profile; an empty variable counts as not set.",
    { terms: environmentVariables.map(({ name, meaning }) => [name, meaning]) },
    "The names of the proxies' variables may be in lower case too, and are then preferred.",
    "The profile is the one of --profile, else of PETS_PROFILE, else the current one. When the key and the base URL both come from outside, the profile file is not even read. A key that a profile keeps is sent to that profile's origin alone.",
    "What a postgres:// URL leaves out is taken from PGHOST, PGPORT, PGUSER and PGDATABASE.",
    "`pets serve -- command` sets PETS_BASE_URL and PETS_API_KEY for the command, and puts `pets` on its PATH.",
  ],
};
