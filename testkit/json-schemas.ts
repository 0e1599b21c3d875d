import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import Ajv from "ajv";

/* The JSON Schemas of the package, as the build makes them from what reads these files. */

const validators = new Map<string, ReturnType<Ajv.Ajv["compile"]>>();

/** Returns what a schema says of a value; nothing if it conforms. */
export function violations(name: "review" | "access" | "rules", value: unknown): unknown[] {
  const known = validators.get(name);
  const validate = known ?? new Ajv({ allErrors: true }).compile(readSchema(name));
  validators.set(name, validate);
  return validate(value) === true ? [] : (validate.errors ?? []);
}

function readSchema(name: string): object {
  return JSON.parse(readFileSync(resolve(__dirname, `../${name}.schema.json`), "utf8")) as object;
}
