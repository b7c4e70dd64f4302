import type { FrontendTool } from "@pageside/core";

/** A tool that runs once the user has agreed to it, in the tray. */
export interface ConfirmedTool extends FrontendTool<Record<string, unknown>> {
  /** What the user is asked; default made from the tool's name. */
  question?: string;
}
