import type { PagesideClient, SlashCommand } from "@pageside/core";
import { useImperativeHandle, useState, type KeyboardEvent } from "react";
import { createPortal } from "react-dom";
import { useAssistantContext } from "../../context.js";
import { useAssistantSnapshot } from "../../hooks/useAssistant.js";
import { useIsOpen } from "../../hooks/trayState.js";
import { useComposerLabels } from "../../labels/composer.js";
import { AttachmentList, Notice } from "../attachments/AttachmentList.js";
import type { Attachments } from "../attachments/useAttachments.js";
import { useFileDrop } from "../attachments/useFileDrop.js";
import { Help, panelsPart } from "../panels/load.js";
import { CommandQuestion } from "./CommandQuestion.js";
import { List } from "./List.js";
import { Pills } from "./Pills.js";
import { Tools } from "./Tools.js";
import type { Box } from "./types.js";
import { useChoices } from "./useChoices.js";
import { findCommand, useCommands } from "./useCommands.js";
import { useDictation } from "./useDictation.js";
import { useMessage, type Message } from "./useMessage.js";
import { tokensOfServer } from "../sees/size.js";
import { useDisclosure } from "../sees/useDisclosure.js";
import { useLeftOut, usePageEntries, type PageEntries } from "./usePageEntries.js";
import { useSentHistory } from "./useSentHistory.js";
import { useSubmit } from "./useSubmit.js";
import { useWriter } from "./useWriter.js";

/** Everything in the message box beyond writing and sending text. Loaded when the tray opens. */
export function Parts(box: Box) {
  const { client } = useAssistantContext("Composer");
  const isOpen = useIsOpen();
  const parts = useParts(client, box, isOpen);
  const { focus, write, message, page, commands, submitting, choices, dictating, help, setHelp } = parts;
  const { attachments, mentioned } = message;
  const labels = useComposerLabels();
  const leaveOut = useLeftOut(client);
  const dropZone = useFileDrop(box.area, message.takesFiles, attachments.add);
  const onKey = useKeys(box, parts);
  useImperativeHandle(box.partsRef, () => ({ onKey, submit: () => submitting.submit() }));

  return (
    <>
      <Pills
        page={page}
        mentions={mentioned.mentions}
        isIncluded={(id) => client.isIncluded("context", id)}
        onMention={message.added.add}
        onRemove={mentioned.remove}
        onLeaveOut={leaveOut}
        onLeave={focus}
      />
      <AttachmentList {...attachments} onLeave={focus} />
      {dictating?.problem && (
        <Notice onClose={dictating.closeProblem}>{labels.dictationProblem(dictating.problem)}</Notice>
      )}
      {dictating && (
        <span className="ps-sr-only" role="status">
          {dictating.isListening && labels.listening}
        </span>
      )}
      {submitting.problem && <Notice onClose={submitting.closeProblem}>{submitting.problem}</Notice>}
      {submitting.question && (
        <CommandQuestion
          key={submitting.question.command}
          {...submitting.question}
          onAnswer={(how) => {
            submitting.answer(how);
            focus();
          }}
        />
      )}
      {choices.list && <List {...choices.list} onTaken={focus} />}
      {help && (
        <Help
          client={client}
          commands={commands}
          onClose={() => {
            setHelp(false);
            focus();
          }}
        />
      )}
      <GhostText draft={box.draft} commands={commands} />
      {box.tools && createPortal(<Tools {...{ box, write, page, message, dictating, focus }} />, box.tools)}
      {dropZone && createPortal(<DropHint {...attachments} />, dropZone)}
    </>
  );
}

/** What the page offers for a message, with the size of all that the assistant sees with it. */
function useSeen(client: PagesideClient, mentions: readonly string[], isOpen: boolean): PageEntries {
  const page = usePageEntries(client, mentions);
  const told = useDisclosure(client, page.place, isOpen);
  const state = useAssistantSnapshot((thread) => thread.state);
  return { ...page, tokens: page.tokens + tokensOfServer(told, state) };
}

/** What the parts work on: the message, what the page offers for it, and its commands. */
function useParts(client: PagesideClient, box: Box, isOpen: boolean) {
  const labels = useComposerLabels();
  const write = useWriter(box);
  const message = useMessage(client, box, write);
  const page = useSeen(client, message.mentioned.mentions, isOpen);
  const [help, setHelp] = useState(false);
  const commands = useCommands(client, labels, box.running, {
    help: () => setHelp(true),
    exportThread: async () => (await panelsPart.load()).exportThread(client, labels),
  });
  const submitting = useSubmit(client, box, message, commands, write);
  const choices = useChoices(client, box, {
    commands,
    entries: page.entries,
    write,
    onRun: submitting.run,
    onMention: message.added.add,
  });
  const dictating = useDictation(box, message.threadId, isOpen, write);
  const focus = () => box.area.current?.focus({ preventScroll: true });
  return { focus, write, message, page, commands, submitting, choices, dictating, help, setHelp };
}

type Work = ReturnType<typeof useParts>;

/** Handles the keys of the parts. Returns whether the key was used. */
function useKeys({ sent, draft }: Box, { choices, submitting, message, dictating, help, setHelp, write }: Work) {
  const onHistoryKey = useSentHistory(sent, draft, write);
  return (event: KeyboardEvent<HTMLTextAreaElement>): boolean => {
    if (event.key === "Escape" && dictating?.isListening) {
      dictating.stop();
      return true;
    }
    if (choices.onKey(event)) return true;
    const { selectionStart, selectionEnd } = event.currentTarget;
    if (event.key === "Escape" && (submitting.question || help)) {
      submitting.answer();
      setHelp(false);
      return true;
    }
    if (event.key === "Enter" && event.shiftKey && (event.ctrlKey || event.metaKey)) {
      submitting.submit(true);
      return true;
    }
    // Who holds the key down wants the text gone, and nothing else.
    const isAtStart = selectionEnd === 0 && selectionStart === 0 && !event.repeat;
    if (event.key === "Backspace" && isAtStart && removeLast(message)) return true;
    return onHistoryKey(event);
  };
}

/** Removes the last file, or else the last mention. Returns whether there was one. */
function removeLast({ attachments, added }: Message): boolean {
  const file = attachments.files.at(-1);
  const mention = added.mentions.at(-1);
  if (file) attachments.remove(file.id);
  else if (mention !== undefined) added.remove(mention);
  return file !== undefined || mention !== undefined;
}

/** Shows what may follow a command, as long as nothing does. */
function GhostText({ draft, commands }: { draft: string; commands: readonly SlashCommand[] }) {
  const hint = /^\/\S+ ?$/.test(draft) && findCommand(commands, draft.trim())?.argumentHint;
  if (!hint) return null;
  return (
    <div className="ps-ghost-text ps-muted" aria-hidden="true" dir="auto">
      <span>{draft.endsWith(" ") ? draft : `${draft} `}</span>
      {hint}
    </div>
  );
}

/** Over the tray while files are dragged over it: what may be dropped. */
function DropHint({ kinds, limits }: Pick<Attachments, "kinds" | "limits">) {
  const labels = useComposerLabels();
  return (
    <div className="ps-drop">
      {labels.dropFiles}
      {kinds.length > 0 && <span>{labels.fileKinds(kinds)}</span>}
      <span>{labels.fileLimits(limits)}</span>
    </div>
  );
}
