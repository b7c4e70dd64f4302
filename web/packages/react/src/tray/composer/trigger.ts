/** Where the user is writing a command or a mention. */
export interface Trigger {
  /** What is being written. */
  kind: "command" | "mention";
  /** Where the token begins, with its `/` or `@`. */
  from: number;
  /** The caret. */
  to: number;
  /** What stands between the sign and the caret. */
  query: string;
}

/**
 * The command or mention at the caret. A command stands at the beginning of a message (a path like
 * `/var/log` is none), a mention at the beginning of a word.
 */
export function findTrigger(text: string, caret: number): Trigger | undefined {
  const before = text.slice(0, caret);
  const command = /^\s*\/([\w-]*)$/.exec(before);
  if (command) return { kind: "command", from: before.indexOf("/"), to: caret, query: command[1]! };
  const mention = /(?:^|\s)@([^\s@]*)$/.exec(before);
  if (mention) return { kind: "mention", from: caret - mention[1]!.length - 1, to: caret, query: mention[1]! };
  return undefined;
}

/** A message that is a command: its name, and what follows it. */
export function parseCommand(text: string): { command: string; args: string } | undefined {
  const found = /^\s*(\/[A-Za-z0-9][\w-]*)(?:\s+([\s\S]*))?$/.exec(text);
  return found ? { command: found[1]!, args: found[2]?.trim() ?? "" } : undefined;
}
