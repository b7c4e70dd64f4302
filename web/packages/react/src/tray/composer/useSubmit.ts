import type { PagesideClient, SlashCommand } from "@pageside/core";
import { useState } from "react";
import { useComposerLabels } from "../../labels/composer.js";
import { errorText } from "../../ui/format.js";
import { parseCommand } from "./trigger.js";
import type { Box } from "./types.js";
import { findCommand, promptOf, saveCommand } from "./useCommands.js";
import type { How, Message } from "./useMessage.js";
import type { Write } from "./useWriter.js";

/** Submits the box: sends a text, runs a command, or asks about one that is not registered. */
export function useSubmit(
  client: PagesideClient,
  { area, draft }: Box,
  message: Message,
  commands: readonly SlashCommand[],
  write: Write,
) {
  const labels = useComposerLabels();
  const [problem, setProblem] = useState<string>();
  const [question, setQuestion] = useState<{ command: string; args: string }>();

  const send = (text: string, how?: How) => {
    setQuestion(undefined);
    setProblem(undefined);
    message.send(text, how);
  };

  const run = (command: SlashCommand, args: string, now = false) => {
    const kept = args ? `${command.command} ${args}` : command.command;
    if (!command.handler) return send(promptOf(command, args), { kept, now });
    write("");
    setProblem(undefined);
    void (async () => command.handler!(args))().catch((cause: unknown) => {
      setProblem(errorText(cause, labels));
      if (area.current?.value === "") write(kept);
    });
  };

  const submit = (now = false) => {
    const text = (area.current?.value ?? draft).trim();
    if (message.files === "reading" || (text === "" && message.files === "none")) return;
    const parsed = parseCommand(text);
    if (!parsed) return send(text, { now });
    const command = findCommand(commands, parsed.command);
    if (command) run(command, parsed.args, now);
    else setQuestion(parsed);
  };

  /** Sends what follows the unknown command, kept under its name or not; nothing by default. */
  const answer = (how?: "save" | "send") => {
    const { command = "", args = "" } = question ?? {};
    setQuestion(undefined);
    if (how === "save") saveCommand(client, command, args);
    if (how) send(args || command, { kept: draft.trim() });
  };

  const closeProblem = () => setProblem(undefined);
  return { run, submit, problem, question, answer, closeProblem };
}
