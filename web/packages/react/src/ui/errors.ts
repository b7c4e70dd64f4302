import { membersOf } from "@pageside/core/messages";
import type { TrayLabels } from "../labels/types.js";

/** The error for the user: in the tray's words where the code is known. */
export function errorText(cause: unknown, labels: TrayLabels): string {
  const code = codeOf(cause);
  const known = code === undefined ? undefined : labels.errorSentence(code);
  return known ?? (cause instanceof Error ? cause.message : String(cause));
}

/** The code of an error that the server told. */
export function codeOf(cause: unknown): string | undefined {
  const { code } = membersOf(membersOf(cause).error);
  return typeof code === "string" ? code : undefined;
}
