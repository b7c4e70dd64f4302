import type { ThreadSnapshot } from "@pageside/core";
import { answerOf, toTurns } from "../turns.js";
import type { TrayLabels } from "../strings.js";

/** The conversation as Markdown: who said what. */
export function toMarkdown(snapshot: ThreadSnapshot, labels: TrayLabels): string {
  const turns = toTurns(snapshot).flatMap((turn) => {
    const answer = answerOf(turn);
    return [
      ...(turn.question === undefined ? [] : [`**${labels.you}:** ${turn.question}`]),
      ...(answer ? [`**${labels.assistant}:**\n\n${answer}`] : []),
    ];
  });
  return `${[`# ${snapshot.title ?? labels.conversation}`, ...turns].join("\n\n")}\n`;
}

/** Saves the conversation as a file. */
export function exportThread(snapshot: ThreadSnapshot, labels: TrayLabels): void {
  const url = URL.createObjectURL(new Blob([toMarkdown(snapshot, labels)], { type: "text/markdown" }));
  const link = document.createElement("a");
  const name = (snapshot.title ?? labels.conversation).replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-+|-+$/g, "");
  link.href = url;
  link.download = `${name || "conversation"}.md`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}
