export { scriptedAgent } from "./agent.js";
export type { ScriptedAgent } from "./agent.js";
export { fakeClock } from "./clock.js";
export type { FakeClock } from "./clock.js";
export type { AgUiEvent, RunInput } from "./events.js";
export { configure, isIdle, lastAnswer, waitForIdle } from "./idle.js";
export type { WaitOptions } from "./idle.js";
export { mockAssistantAction } from "./mock-action.js";
export type { MockAction, MockActionOptions, MockCall } from "./mock-action.js";
export {
  approval,
  askUser,
  backendCall,
  cut,
  disconnect,
  event,
  fail,
  frontendCall,
  pause,
  payload,
  reasoning,
  refuse,
  suggestions,
  text,
  title,
  together,
} from "./parts.js";
export type {
  BackendOutcome,
  CallPart,
  Card,
  CutReason,
  OrMade,
  Part,
  PartLike,
  Progress,
  Question,
  Reply,
  Rule,
  ToolError,
  Turn,
} from "./parts.js";
export { playRecording } from "./player.js";
export type { EventPlayer, PlayerOptions } from "./player.js";
export { recordEvents } from "./recorder.js";
export type { EventRecorder, RecorderOptions } from "./recorder.js";
export { parseRecording } from "./recording.js";
export type { EndLine, FrameLine, RecordingHeader, RecordingLine, RequestLine, ResponseLine } from "./recording.js";
export type { AgentOptions, AgentRequest, GivenThread } from "./server.js";
