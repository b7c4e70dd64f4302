export type { Attachment, ClientError, DeepPartial, Json, JsonSchema, Message, TokenUsage } from "./protocol/types.js";
export type {
  AllowanceOffer,
  Block,
  Feedback,
  LastRun,
  MessageDetails,
  ServerAction,
  Metadata,
  Note,
  PayloadStatus,
  SuggestedAction,
  SuggestedValue,
  WithMetadata,
} from "./protocol/pageside.js";
export type * from "./page/types.js";
export type { Answer, Approval, Question } from "./tools/questions.js";
export type {
  CallOptions,
  FrontendTool,
  PageCalls,
  ToolCallFailure,
  ToolCallState,
  ToolContext,
  ToolEffect,
  ToolEntryInfo,
  ToolProgress,
  ToolStatus,
} from "./tools/types.js";
export type {
  ArgsOf,
  FromJsonSchema,
  StandardIssue,
  StandardResult,
  StandardSchema,
  ToolParameters,
} from "./tools/schema.js";
export type * from "./thread/types.js";
export type * from "./thread/limits.js";
export type * from "./thread/threads.js";
export type { MemoryStorage } from "./thread/memory.js";
export type { ClientOptions, PagesideClient } from "./client.js";
export { Subscribable } from "./base/subscribable.js";
export { textOf } from "./protocol/text.js";
export { actionOf, BLOCK_TYPE, cutBy, isNote, readMetadata } from "./protocol/pageside.js";
export { commandsOf } from "./page/commands.js";
export { pluginsOf, registerPlugin } from "./page/plugins.js";
export { callTool } from "./tools/call-tool.js";
export { nextOrder } from "./tools/registry.js";
export { createPagesideClient } from "./client.js";
