/** What a run asks a person. */
import type { Interrupt, ToolCall } from "@ag-ui/core";
import { compact, membersOf } from "../base/values.js";
import { readMetadata } from "../protocol/pageside.js";
import { parsePartialJson } from "../protocol/partial-json.js";
import type { Question } from "../tools/questions.js";

/**
 * The question of an interrupt. Its call is described as it will run, or else as the model wrote
 * it.
 */
export function questionOf(interrupt: Interrupt, call: ToolCall | undefined): Question {
  const { id, message, toolCallId, responseSchema: schema, expiresAt } = interrupt;
  const { tool, args, summary, effect, allowance, agent } = readMetadata(interrupt);
  const kind = isApproval(interrupt) ? "approval" : "input";
  const isOffered = kind === "approval" && allowance?.scope === "thread" && typeof allowance.maxAge === "number";
  return compact({
    ...{ id, kind, from: "run", message, toolCallId, schema, expiresAt, summary, agent, interrupt },
    name: tool ?? call?.function.name,
    args: args ?? (call && parsePartialJson(call.function.arguments)),
    destructive: effect === "destructive" || undefined,
    allowance: isOffered ? allowance : undefined,
  });
}

function isApproval({ reason, responseSchema }: Interrupt): boolean {
  const { properties } = membersOf(responseSchema);
  if (properties === undefined) return reason === "tool_call" || reason === "agent:tool_call";
  return reason === "tool_call" || "approved" in membersOf(properties);
}
