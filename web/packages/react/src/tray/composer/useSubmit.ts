import type { PagesideClient, SendOptions, SlashCommand } from "@pageside/core";
import { useComposerLabels } from "../../labels/composer.js";
import { errorText } from "../../ui/errors.js";
import { sendNow } from "../queue/sendNow.js";
import { useDraft } from "./draft.js";
import { filesOf, isReading, mentionsOf, type UnknownCommand } from "./state.js";
import { parseCommand } from "./trigger.js";
import type { Box } from "./types.js";
import { findCommand, promptOf, saveCommand } from "./useCommands.js";
import type { Write } from "./useWriter.js";

/** How a message is sent. */
interface How {
  /** What comes back into the box if the message is refused. Default: the text. */
  kept?: string;
  /** Stops the run and sends at once, before the queue. */
  now?: boolean;
}

/** Submits the box: sends a text, runs a command, or asks about one that is not registered. */
export function useSubmit(client: PagesideClient, box: Box, commands: readonly SlashCommand[], write: Write) {
  const { area, state, dispatch } = box;
  const labels = useComposerLabels();
  const send = useSend(client, box, write);
  const setProblem = (problem?: string) => dispatch({ type: "set", to: { problem } });

  const run = (command: SlashCommand, args: string, now = false) => {
    const kept = args ? `${command.command} ${args}` : command.command;
    if (!command.handler) return send(promptOf(command, args), { kept, now });
    write("");
    setProblem();
    void (async () => command.handler!(args))().catch((cause: unknown) => {
      setProblem(errorText(cause, labels));
      if (area.current?.value === "") write(kept);
    });
  };

  const submit = (now = false) => {
    const text = (area.current?.value ?? state.text).trim();
    const files = filesOf(state.files, box.threadId);
    if (isReading(files) || (text === "" && files.length === 0)) return;
    const parsed = parseCommand(text);
    if (!parsed) return send(text, { now });
    const command = findCommand(commands, parsed.command);
    if (command) run(command, parsed.args, now);
    else dispatch({ type: "set", to: { dialog: parsed } });
  };

  /** Sends what follows the unknown command, kept under its name or not; nothing by default. */
  const answer = ({ command, args }: UnknownCommand, how?: "save" | "send") => {
    dispatch({ type: "set", to: { dialog: undefined } });
    if (how === "save") saveCommand(client, command, args);
    if (how) send(args || command, { kept: state.text.trim() });
  };
  return { run, submit, answer };
}

/** Sends a text with everything that goes with it, and brings it back if it is refused. */
function useSend(client: PagesideClient, box: Box, write: Write) {
  const { area, threadId, state, dispatch, attachments, running, onSend } = box;
  const drafts = useDraft(client, area, state.text, write);
  return (text: string, { kept = text, now = false }: How = {}) => {
    const mentions = mentionsOf(state, threadId);
    const files =
      attachments === false ? [] : filesOf(state.files, threadId).flatMap(({ attachment }) => attachment ?? []);
    const options: SendOptions = {
      ...(mentions.length > 0 && { mentions }),
      ...(files.length > 0 && { attachments: files }),
    };
    dispatch({ type: "send", threadId });
    const done = now && running ? sendNow(client, text, options) : onSend(text, options);
    drafts.submitted(kept, done, () => dispatch({ type: "restore", threadId, mentions, attachments: files }));
  };
}
