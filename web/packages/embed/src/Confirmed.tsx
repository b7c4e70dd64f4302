import { useAssistantAction } from "./sdk.js";
import type { ConfirmedTool } from "./confirmed-tool.js";

export function Confirmed({ tool }: { tool: ConfirmedTool }) {
  useAssistantAction(tool);
  return null;
}
