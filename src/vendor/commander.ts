export { Command, CommanderError } from "commander";
