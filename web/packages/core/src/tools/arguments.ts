/** Parses the arguments of a call and checks them against the tool's schema. */
import { Validator } from "@cfworker/json-schema";
import type { JsonSchema } from "../protocol/types.js";
import { isStandard, type ToolParameters } from "./schema.js";

/** Why a call failed, as the model reads it: `{"error": {type, message, …}}`. */
export class ToolFailure extends Error {
  readonly type: string;
  readonly details: string[] | undefined;

  constructor(type: string, message: string, details?: string[]) {
    super(message);
    this.name = type;
    this.type = type;
    this.details = details;
  }
}

/** What an error says. */
export const reasonOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause));

/**
 * Parses the arguments. An empty text, which models write for tools without parameters, is an empty
 * object.
 */
export function parseArguments(text: string): unknown {
  if (text.trim() === "") return {};
  try {
    return JSON.parse(text, (key: string, value: unknown) => (key === "__proto__" ? undefined : value));
  } catch (error) {
    throw new ToolFailure("invalid_arguments", `The arguments are not JSON: ${reasonOf(error)}`);
  }
}

/** Returns the arguments as the schema parses them. Throws if they do not fit. */
export async function check(args: unknown, schema: ToolParameters): Promise<unknown> {
  if (!isStandard(schema)) return validate(args, schema);
  const result = await schema["~standard"].validate(args);
  if (!result.issues) return result.value;
  throw invalid(
    result.issues.map(({ path = [], message }) => `${path.map(keyOf).join("/") || "arguments"}: ${message}`),
  );
}

function keyOf(segment: PropertyKey | { readonly key: PropertyKey }): string {
  return String(typeof segment === "object" ? segment.key : segment);
}

function validate(args: unknown, schema: JsonSchema): unknown {
  const { valid, errors } = new Validator(schema, "2020-12", false).validate(args);
  if (valid) return args;
  // The last error is about the value itself, earlier ones about its containers.
  throw invalid(
    errors.map(({ instanceLocation, error }) => `${instanceLocation.slice(2) || "arguments"}: ${error}`).reverse(),
  );
}

function invalid(details: string[]): ToolFailure {
  const message = `The arguments do not fit the schema of the tool: ${details[0]}`;
  return new ToolFailure("invalid_arguments", message, details);
}
