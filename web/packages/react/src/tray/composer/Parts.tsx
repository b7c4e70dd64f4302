import type { PagesideClient, SlashCommand } from "@pageside/core";
import { useCallback, useImperativeHandle, type KeyboardEvent } from "react";
import { createPortal } from "react-dom";
import { useAssistantContext } from "../../context.js";
import { useAssistantSnapshot } from "../../hooks/useAssistant.js";
import { useIsOpen } from "../../hooks/trayState.js";
import { useComposerLabels } from "../../labels/composer.js";
import { AttachmentList, Notice } from "../attachments/AttachmentList.js";
import { useFileDrop } from "../attachments/useFileDrop.js";
import { CommandQuestion, Help, panelsPart } from "../panels/load.js";
import { List } from "./List.js";
import { Pills } from "./Pills.js";
import { reduce, type ComposerAction, type Settings } from "./reduce.js";
import { Tools } from "./Tools.js";
import type { Box, PartsProps } from "./types.js";
import { useChoices } from "./useChoices.js";
import { findCommand, useCommands } from "./useCommands.js";
import { useDictation } from "./useDictation.js";
import { useFiles, type MessageFiles } from "./useFiles.js";
import { useMentions, type Mentions } from "./useMentions.js";
import { tokensOfServer } from "../sees/size.js";
import { useDisclosure } from "../sees/useDisclosure.js";
import { useLeftOut, usePageEntries, type PageEntries } from "./usePageEntries.js";
import { useSentHistory } from "./useSentHistory.js";
import { useSubmit } from "./useSubmit.js";
import { useWriter } from "./useWriter.js";

/** Everything in the message box beyond writing and sending text. Loaded when the tray opens. */
export function Parts(props: PartsProps) {
  const box = useBox(props);
  const { client } = useAssistantContext("Composer");
  const parts = useParts(client, box);
  const { focus, write, mentions, files, page, commands, submitting, choices, dictating, set } = parts;
  const { dialog, problem, text } = box.state;
  const labels = useComposerLabels();
  const leaveOut = useLeftOut(client);
  const dropZone = useFileDrop(box.area, files.areTaken, files.add);
  const onKey = useKeys(box, parts);
  useImperativeHandle(box.partsRef, () => ({ onKey, submit: () => submitting.submit(), look: choices.look }));

  return (
    <>
      <Pills
        page={page}
        mentions={mentions.ids}
        isIncluded={(id) => client.isIncluded("context", id)}
        onMention={mentions.add}
        onRemove={mentions.remove}
        onLeaveOut={leaveOut}
        onLeave={focus}
      />
      <AttachmentList {...files} onLeave={focus} />
      {dictating?.problem && (
        <Notice onClose={dictating.closeProblem}>{labels.dictationProblem(dictating.problem)}</Notice>
      )}
      {dictating && (
        <span className="ps-sr-only" role="status">
          {dictating.isListening && labels.listening}
        </span>
      )}
      {problem && <Notice onClose={() => set({ problem: undefined })}>{problem}</Notice>}
      {typeof dialog === "object" && (
        <CommandQuestion
          key={dialog.command}
          {...dialog}
          onAnswer={(how) => {
            submitting.answer(dialog, how);
            focus();
          }}
        />
      )}
      {choices.list && <List {...choices.list} onTaken={focus} />}
      {dialog === "help" && (
        <Help
          client={client}
          commands={commands}
          onClose={() => {
            set({ dialog: undefined });
            focus();
          }}
        />
      )}
      <GhostText draft={text} commands={commands} />
      {box.tools && createPortal(<Tools {...{ box, write, page, files, dictating, focus }} />, box.tools)}
      {dropZone && createPortal(<DropHint {...files} />, dropZone)}
    </>
  );
}

/** The reducer comes with the parts: without them the user can only type. */
function useBox(props: PartsProps): Box {
  const { setState } = props;
  const dispatch = useCallback((action: ComposerAction) => setState((now) => reduce(now, action)), [setState]);
  return { ...props, dispatch };
}

/** What the page offers for a message, with the size of all that the assistant sees with it. */
function useSeen(client: PagesideClient, mentions: readonly string[], isOpen: boolean): PageEntries {
  const page = usePageEntries(client, mentions);
  const told = useDisclosure(client, page.place, isOpen);
  const state = useAssistantSnapshot((thread) => thread.state);
  return { ...page, tokens: page.tokens + tokensOfServer(told, state) };
}

/** What the parts work on: the message, what the page offers for it, and its commands. */
function useParts(client: PagesideClient, box: Box) {
  const { area, running, dispatch } = box;
  const isOpen = useIsOpen();
  const labels = useComposerLabels();
  const set = (to: Settings) => dispatch({ type: "set", to });
  const write = useWriter(box);
  const mentions = useMentions(client, box, write);
  const files = useFiles(box);
  const page = useSeen(client, mentions.ids, isOpen);
  const commands = useCommands(client, labels, running, {
    help: () => set({ dialog: "help" }),
    exportThread: async () => (await panelsPart.load()).exportThread(client, labels),
  });
  const submitting = useSubmit(client, box, commands, write);
  const choices = useChoices(client, box, {
    commands,
    entries: page.entries,
    write,
    onRun: submitting.run,
    onMention: mentions.add,
  });
  const dictating = useDictation(box, isOpen, write);
  const focus = () => area.current?.focus({ preventScroll: true });
  return { focus, set, write, mentions, files, page, commands, submitting, choices, dictating };
}

type Work = ReturnType<typeof useParts>;

/** Handles the keys of the parts. Returns whether the key was used. */
function useKeys({ sent, state }: Box, { choices, submitting, mentions, files, dictating, set, write }: Work) {
  const onHistoryKey = useSentHistory(sent, state.text, write);
  return (event: KeyboardEvent<HTMLTextAreaElement>): boolean => {
    if (event.key === "Escape" && dictating?.isListening) {
      dictating.stop();
      return true;
    }
    if (choices.onKey(event)) return true;
    const { selectionStart, selectionEnd } = event.currentTarget;
    if (event.key === "Escape" && state.dialog) {
      set({ dialog: undefined });
      return true;
    }
    if (event.key === "Enter" && event.shiftKey && (event.ctrlKey || event.metaKey)) {
      submitting.submit(true);
      return true;
    }
    // Who holds the key down wants the text gone, and nothing else.
    const isAtStart = selectionEnd === 0 && selectionStart === 0 && !event.repeat;
    if (event.key === "Backspace" && isAtStart && removeLast(files, mentions)) return true;
    return onHistoryKey(event);
  };
}

/** Removes the last file, or else the last mention. Returns whether there was one. */
function removeLast({ files, remove }: MessageFiles, mentions: Mentions): boolean {
  const file = files.at(-1);
  const mention = mentions.added.at(-1);
  if (file) remove(file.id);
  else if (mention !== undefined) mentions.remove(mention);
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
function DropHint({ kinds, limits }: Pick<MessageFiles, "kinds" | "limits">) {
  const labels = useComposerLabels();
  return (
    <div className="ps-drop">
      {labels.dropFiles}
      {kinds.length > 0 && <span>{labels.fileKinds(kinds)}</span>}
      <span>{labels.fileLimits(limits)}</span>
    </div>
  );
}
