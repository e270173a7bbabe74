/**
 * Stands in the bundle for conf's schema validator, which is only used when conf is given a schema.
 * `pets` checks the profile file with its own rules, so the validator would be weight without use.
 */
export class Ajv2020 {
  constructor() {
    throw new Error("conf was given a schema, and its validator is left out of the bundle");
  }
}

export default { default: Ajv2020 };
