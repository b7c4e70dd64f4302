import type { ThreadSnapshot } from "@pageside/core";
import { fileNameOf, toMarkdown } from "../panels/export.js";
import { panelEnglish } from "../../labels/panels.js";
import type { TrayLabels } from "../../labels/english.js";

/** Saves the conversation as a Markdown file. */
export function exportThread(snapshot: ThreadSnapshot, labels: TrayLabels): void {
  const title = snapshot.title || labels.conversation;
  const markdown = toMarkdown(snapshot, { title, labels: { ...panelEnglish, ...labels } });
  const url = URL.createObjectURL(new Blob([markdown], { type: "text/markdown;charset=utf-8" }));
  Object.assign(document.createElement("a"), { href: url, download: fileNameOf(title) }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}
