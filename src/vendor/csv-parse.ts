export { CsvError, parse } from "csv-parse";
