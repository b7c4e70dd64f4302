import {
  BLOCK_TYPE,
  isNote,
  readMetadata,
  type Block,
  type Message,
  type PagesideClient,
  type ThreadSnapshot,
  type ToolCallState,
} from "@pageside/core";
import { SOURCES_TYPE } from "../../hooks/payloads.js";
import { panelEnglish } from "../../labels/panelEnglish.js";
import type { PanelLabels } from "../../labels/panelEnglish.js";
import type { TrayLabels } from "../../labels/types.js";
import { humanize, toolTitle } from "../../ui/format.js";
import { sourcesOf } from "../turn/answerSources.js";

/** How a thread is written as a document. */
export interface MarkdownOptions {
  /** The heading of the document. */
  title: string;
  /** The texts around what was said. */
  labels: PanelLabels & TrayLabels;
  /** Names of tools on screen, by tool name. */
  toolLabels?: Readonly<Record<string, string>>;
  /** When it was exported. Default: now. */
  now?: Date;
}

/** A thread as a document: the messages, tool calls folded, payloads as lists. */
export function toMarkdown(snapshot: ThreadSnapshot, options: MarkdownOptions): string {
  const { title, labels, now = new Date() } = options;
  const head = [`# ${oneLine(title)}`, `*${labels.exportedAt(now.toLocaleString())}*`];
  const parts = snapshot.messages.flatMap((message) => partsOf(message, snapshot, options));
  return `${[...head, ...parts, ...sourcesIn(snapshot, labels)].join("\n\n")}\n`;
}

/** The sources of all answers, by number, which the texts cite as `[1]`. */
function sourcesIn({ messages }: ThreadSnapshot, { exportedSources }: PanelLabels): string[] {
  const all = new Map(messages.flatMap(sourcesOf).map((source) => [source.number, source]));
  if (all.size === 0) return [];
  const lines = [...all.values()]
    .sort((a, b) => a.number - b.number)
    .map(
      ({ number, title, url }) =>
        `- \\[${number}\\] ${plain(title)}${url ? ` <${url.replace(/[<>]/g, encodeURIComponent)}>` : ""}`,
    );
  return [`## ${exportedSources}`, lines.join("\n")];
}

/** Saves a thread as a Markdown file. */
export function saveMarkdown(snapshot: ThreadSnapshot, options: MarkdownOptions): void {
  const url = URL.createObjectURL(new Blob([toMarkdown(snapshot, options)], { type: "text/markdown;charset=utf-8" }));
  Object.assign(document.createElement("a"), { href: url, download: fileNameOf(options.title) }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

/** Loads what a long thread has left out, and returns all of it. Throws if it cannot. */
export async function wholeThread(client: PagesideClient, labels: TrayLabels): Promise<ThreadSnapshot> {
  if (client.getSnapshot().older) await client.loadOlder({ all: true });
  const snapshot = client.getSnapshot();
  if (snapshot.older) throw new Error(labels.earlier("failed"));
  return snapshot;
}

/** Saves the conversation, for the command of the message box. */
export async function exportThread(client: PagesideClient, labels: TrayLabels): Promise<void> {
  const snapshot = await wholeThread(client, labels);
  saveMarkdown(snapshot, { title: snapshot.title || labels.conversation, labels: { ...panelEnglish, ...labels } });
}

/** A name that every file system takes: `"Late orders?"` → `"late-orders.md"`. */
export function fileNameOf(title: string): string {
  const name = title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .slice(0, 60)
    .replace(/^-+|-+$/g, "");
  return `${name || "conversation"}.md`;
}

function partsOf(message: Message, { toolCalls }: ThreadSnapshot, options: MarkdownOptions): string[] {
  const { labels } = options;
  if (readMetadata(message).hidden || isNote(message)) return [];
  switch (message.role) {
    case "user":
      return [`## ${labels.you}`, ...contentOf(message.content, labels)];
    case "assistant": {
      const calls = (message.toolCalls ?? []).flatMap(({ id }) => toolCalls[id] ?? []);
      return [
        `## ${labels.assistant}`,
        ...(message.content ? [String(message.content)] : []),
        ...calls.map((call) => callOf(call, options)),
      ];
    }
    case "activity":
      return message.activityType === SOURCES_TYPE ? [] : cardOf(message.activityType, message.content);
    default:
      return [];
  }
}

function contentOf(content: unknown, labels: PanelLabels): string[] {
  if (!Array.isArray(content)) return [String(content)];
  const parts: readonly { type: string; text?: string; metadata?: { name?: string } }[] = content;
  return parts.map((part) =>
    part.type === "text" ? (part.text ?? "") : `*${labels.attachment(part.metadata?.name ?? part.type)}*`,
  );
}

function callOf(call: ToolCallState, { labels, toolLabels = {} }: MarkdownOptions): string {
  const name = labels.toolCall(toolLabels[call.name] ?? toolTitle(call.name));
  const outcome: unknown = call.error?.message ?? call.result;
  return [
    "<details>",
    `<summary>${escapeHtml(oneLine(name))}</summary>`,
    "",
    fenced(call.args ?? call.argsText, "json"),
    ...(outcome === undefined ? [] : ["", fenced(outcome, typeof outcome === "string" ? "" : "json")]),
    "",
    "</details>",
  ].join("\n");
}

/** A card: what it is, and its data as a list. */
function cardOf(type: string, content: unknown): string[] {
  const { name, data } = type === BLOCK_TYPE ? (content as Block) : { name: undefined, data: content };
  const lines = linesOf(data, "");
  return [`**${humanize(name ?? type)}**`, ...(lines.length > 0 ? [lines.join("\n")] : [])];
}

/** Names and values as a list, nested where they are. */
function linesOf(value: unknown, indent: string): string[] {
  if (typeof value !== "object" || value === null) return [`${indent}- ${plain(value)}`];
  const isList = Array.isArray(value);
  return Object.entries(value).flatMap(([key, each]) => {
    const head = isList ? "" : `${humanize(key)}:`;
    if (typeof each !== "object" || each === null) return [`${indent}- ${head && `${head} `}${plain(each)}`];
    return [`${indent}- ${head}`.trimEnd(), ...linesOf(each, `${indent}  `)];
  });
}

/** A value in one line that Markdown shows as it is. */
const plain = (value: unknown) => oneLine(String(value ?? "–")).replace(/[\\`*_[\]<>#|]/g, "\\$&");

/** A fenced block. Its fence is longer than any in the text. */
function fenced(value: unknown, language: string): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? "");
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}

const oneLine = (text: string) => text.replace(/\s+/g, " ").trim();
const escapeHtml = (text: string) => text.replace(/[&<>]/g, (sign) => `&#${sign.charCodeAt(0)};`);
