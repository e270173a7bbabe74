/** A valid row. */
export const rex = '{"name":"Rex","categoryId":1}';

/** The rules, as messages say them. */
export const int64Rule = "must be an integer";
export const int64Range = "must be from -9223372036854775808 to 9223372036854775807";
export const statusRule = "must be one of available, pending, sold";
const notField = "is not a field of an animal (name, categoryId, status)";

/** The maximum size of a row, in bytes. */
export const mebi = 1024 * 1024;

/** JSON rows that are invalid in NDJSON and in an array, and the reports. */
export const invalidRows: readonly (readonly [string, string])[] = [
  ['{"categoryId":1}', "name is missing"],
  ['{"name":"","categoryId":1}', "name must not be empty"],
  ['{"name":" \\t\\u3000","categoryId":1}', "name must not be empty"],
  ['{"name":5,"categoryId":1}', "name must be a string, not 5"],
  ['{"name":null,"categoryId":1}', "name must be a string, not null"],
  ['{"name":["x"],"categoryId":1}', "name must be a string, not an array"],
  ['{"name":"Rex"}', "categoryId is missing"],
  ['{"name":"Rex","categoryId":"1"}', `categoryId ${int64Rule}, not "1"`],
  ['{"name":"Rex","categoryId":1.0}', `categoryId ${int64Rule}, not 1.0`],
  ['{"name":"Rex","categoryId":1e3}', `categoryId ${int64Rule}, not 1e3`],
  [
    '{"name":"Rex","categoryId":9223372036854775808}',
    `categoryId ${int64Range}, not 9223372036854775808`,
  ],
  ['{"name":"Rex","categoryId":true}', `categoryId ${int64Rule}, not true`],
  ['{"name":"Rex","categoryId":{"a":1}}', `categoryId ${int64Rule}, not an object`],
  [
    '{"name":"Rex","categoryId":1,"status":"avialable"}',
    `status ${statusRule}, not "avialable"; did you mean "available"?`,
  ],
  [
    '{"name":"Rex","categoryId":1,"status":"SOLD"}',
    `status ${statusRule}, not "SOLD"; did you mean "sold"?`,
  ],
  ['{"name":"Rex","categoryId":1,"status":null}', `status ${statusRule}, not null`],
  ['{"name":"Rex","categoryid":1}', `categoryid ${notField}; categoryId is missing`],
  [
    '{"name":"","categoryId":"7","status":"x"}',
    `name must not be empty; categoryId ${int64Rule}, not "7"; status ${statusRule}, not "x"`,
  ],
  [
    '{"age":1,"size":2,"name":""}',
    `age ${notField}; size is not a field of an animal; name must not be empty; categoryId is missing`,
  ],
  ['{"toString":1,"name":"a","categoryId":1}', `toString ${notField}`],
  ['{"name":"Rex","categoryId":1,"__proto__":1}', `__proto__ ${notField}`],
  ["[]", "must be a JSON object, not an array"],
  ["null", "must be a JSON object, not null"],
  ['"Rex"', 'must be a JSON object, not "Rex"'],
  ["1.50", "must be a JSON object, not 1.50"],
  ["-17", "must be a JSON object, not -17"],
];
