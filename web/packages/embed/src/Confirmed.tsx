import { useAssistantAction } from "@pageside/react";
import type { ConfirmedTool } from "./confirmed-tool.js";

export function Confirmed({ tool }: { tool: ConfirmedTool }) {
  useAssistantAction(tool);
  return null;
}
