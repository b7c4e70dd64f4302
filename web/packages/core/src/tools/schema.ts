/**
 * Schemas of tool arguments: JSON Schema, or a schema of a library that implements Standard Schema.
 */
import { membersOf } from "../base/values.js";
import type { JsonSchema } from "../protocol/types.js";

/**
 * A schema of zod, valibot, ArkType and others (https://standardschema.dev): only the members used
 * here.
 */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly "~standard": StandardProps<Input, Output>;
}

interface StandardProps<Input, Output> {
  readonly version: 1;
  readonly vendor: string;
  readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
  readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  /** Standard JSON Schema, if the library supports it: https://standardschema.dev/json-schema. */
  readonly jsonSchema?: {
    readonly input: (options: { readonly target: "draft-2020-12" }) => Record<string, unknown>;
  };
}

/** The parsed value, or why it does not fit. */
export type StandardResult<Output> =
  { readonly value: Output; readonly issues?: undefined } | { readonly issues: readonly StandardIssue[] };

/** Why a value does not fit a schema, and where. */
export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** The `parameters` of a tool. */
export type ToolParameters = JsonSchema | StandardSchema;

/** Reports whether the parameters are a schema of such a library. */
export function isStandard(parameters: ToolParameters): parameters is StandardSchema {
  return membersOf(parameters)["~standard"] !== undefined;
}

/** The type of the arguments that `parameters` describe; `unknown` if the schema does not say. */
export type ArgsOf<Parameters> =
  Parameters extends StandardSchema<infer _Input, infer Output>
    ? Output
    : Parameters extends object
      ? FromJsonSchema<Parameters>
      : unknown;

/** The type that a literal JSON Schema describes. Unknown keywords give `unknown`. */
export type FromJsonSchema<Schema> = Schema extends { readonly const: infer Value }
  ? Value
  : Schema extends { readonly enum: readonly (infer Value)[] }
    ? Value
    : Schema extends { readonly anyOf: readonly (infer One)[] }
      ? FromJsonSchema<One>
      : Schema extends { readonly oneOf: readonly (infer One)[] }
        ? FromJsonSchema<One>
        : Schema extends { readonly type: readonly (infer Type)[] }
          ? Type extends string
            ? OfType<Type, Schema>
            : unknown
          : Schema extends { readonly type: infer Type extends string }
            ? OfType<Type, Schema>
            : unknown;

type OfType<Type extends string, Schema> = Type extends "string"
  ? string
  : Type extends "number" | "integer"
    ? number
    : Type extends "boolean"
      ? boolean
      : Type extends "null"
        ? null
        : Type extends "array"
          ? Schema extends { readonly items: infer Item }
            ? FromJsonSchema<Item>[]
            : unknown[]
          : Type extends "object"
            ? ObjectOf<Schema>
            : unknown;

type ObjectOf<Schema> = Schema extends { readonly properties: infer Properties }
  ? Flat<
      { -readonly [Name in keyof Properties as Name & RequiredOf<Schema>]: FromJsonSchema<Properties[Name]> } & {
        -readonly [Name in keyof Properties as Exclude<Name, RequiredOf<Schema>>]?: FromJsonSchema<Properties[Name]>;
      }
    >
  : Schema extends { readonly additionalProperties: infer Value extends object }
    ? Record<string, FromJsonSchema<Value>>
    : Record<string, unknown>;

type RequiredOf<Schema> = Schema extends { readonly required: readonly (infer Name extends string)[] } ? Name : never;

type Flat<T> = { [Name in keyof T]: T[Name] };
