import type { SendOptions, SlashCommand } from "@pageside/core";
import { useCallback, useEffect, useId, useImperativeHandle, useRef, useState, type KeyboardEvent } from "react";
import { createPortal } from "react-dom";
import { useAssistantContext } from "../../context.js";
import { useAssistantSnapshot } from "../../hooks/use-assistant.js";
import { errorText } from "../format.js";
import { AttachmentList, Notice } from "./AttachmentList.js";
import { CommandQuestion } from "./CommandQuestion.js";
import { useDraft } from "./draft.js";
import { Help } from "./Help.js";
import { choicesOf } from "./choices.js";
import { List, onListKey, useComboboxAttributes } from "./List.js";
import { Pills } from "./Pills.js";
import { sendNow } from "./sendNow.js";
import { useComposerLabels } from "./strings.js";
import { Tools } from "./Tools.js";
import { parseCommand, type Trigger } from "./trigger.js";
import type { Box } from "./types.js";
import { useAttachments } from "./useAttachments.js";
import { findCommand, promptOf, removeCommand, saveCommand, useCommands } from "./useCommands.js";
import { useFileDrop } from "./useFileDrop.js";
import { useLeftOut } from "./useLeftOut.js";
import { useMentions } from "./useMentions.js";
import { usePageEntries } from "./usePageEntries.js";
import { useSentHistory } from "./useSentHistory.js";
import { useTrigger } from "./useTrigger.js";
import { useLayoutEffect } from "../layoutEffect.js";

/** Everything of the message box beyond writing and sending a text. It is loaded when the tray opens. */
export function Parts(box: Box) {
  const { area, draft, running, onFiles } = box;
  const { client } = useAssistantContext("Composer");
  const labels = useComposerLabels();
  const listId = useId();
  const focus = () => area.current?.focus({ preventScroll: true });
  const write = useWriter(box);
  const drafts = useDraft(client, area, draft, write);
  const threadId = useAssistantSnapshot((thread) => thread.threadId);
  const { mentions, ...mentioning } = useMentions(threadId);
  const page = usePageEntries(client, mentions);
  const leaveOut = useLeftOut(client);
  const attachments = useAttachments(threadId, box.attachments || undefined);
  const takesFiles = box.attachments !== false;
  const dropZone = useFileDrop(area, takesFiles, attachments.add);
  const [help, setHelp] = useState(false);
  const [problem, setProblem] = useState<string>();
  const [question, setQuestion] = useState<{ command: string; args: string }>();
  const [active, setActive] = useState(0);
  const onHistoryKey = useSentHistory(box.sent, draft, write);

  const commands = useCommands(client, labels, running, {
    help: () => setHelp(true),
    exportThread: async () => (await import("./exportThread.js")).exportThread(client.getSnapshot(), labels),
  });

  const isReading = attachments.files.some(({ attachment }) => !attachment);
  const files = isReading ? "reading" : attachments.files.length > 0 ? "ready" : "none";
  useEffect(() => onFiles(files), [onFiles, files]);

  // ------------------------------------------------------------ sending

  /** Sends a text with everything that goes with it. `kept` is what comes back where it is refused. */
  const send = (text: string, { kept = text, now = false } = {}) => {
    const taken = takesFiles ? attachments.take() : [];
    const options: SendOptions | undefined =
      mentions.length + taken.length > 0
        ? { ...(mentions.length > 0 && { mentions }), ...(taken.length > 0 && { attachments: taken }) }
        : undefined;
    mentioning.set([]);
    setQuestion(undefined);
    setProblem(undefined);
    write("");
    const done = now && running ? sendNow(client, text, options) : box.onSend(text, options);
    drafts.submitted(kept, done, () => {
      mentioning.set(mentions);
      attachments.restore(taken);
    });
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
    if (isReading || (text === "" && files === "none")) return;
    const parsed = parseCommand(text);
    if (!parsed) return send(text, { now });
    const command = findCommand(commands, parsed.command);
    if (command) run(command, parsed.args, now);
    else setQuestion(parsed);
  };

  // ------------------------------------------------------------ the list

  const { trigger, dismiss } = useTrigger(area, draft);
  const query = trigger?.query ?? "";
  const replace = (by: string) => {
    const text = area.current?.value ?? draft;
    const { from, to } = trigger!;
    write(text.slice(0, from) + by + text.slice(to).replace(by === "" ? /^ / : /^(?!)/, ""), from + by.length);
  };

  const choices = choicesOf(trigger, {
    commands,
    entries: page.entries,
    labels,
    onCommand: (command, how) => {
      if (how === "complete" || command.argumentHint) replace(`${command.command} `);
      else run(command, draft.slice(trigger!.to).trim());
    },
    onForget: (command) => removeCommand(client, command),
    onMention: (id) => {
      mentioning.add(id);
      replace("");
    },
  });
  const grouped = query ? choices.map(({ group: _, ...choice }) => choice) : choices;
  const at = Math.min(active, Math.max(grouped.length - 1, 0));
  useActiveReset(trigger, setActive);
  useComboboxAttributes(area, trigger && listId, trigger && grouped.length > 0 ? `${listId}-${at}` : undefined);

  // ------------------------------------------------------------ keys

  const onKey = (event: KeyboardEvent<HTMLTextAreaElement>): boolean => {
    if (trigger && onListKey(event, listKeys())) return true;
    const { selectionStart, selectionEnd } = event.currentTarget;
    if (event.key === "Escape" && (question || help)) {
      setQuestion(undefined);
      setHelp(false);
      return true;
    }
    if (event.key === "Enter" && event.shiftKey && (event.ctrlKey || event.metaKey)) {
      submit(true);
      return true;
    }
    if (event.key === "Backspace" && selectionEnd === 0 && selectionStart === 0 && mentions.length > 0) {
      mentioning.remove(mentions.at(-1)!);
      return true;
    }
    return onHistoryKey(event);
  };
  const listKeys = () => ({
    count: grouped.length,
    active: at,
    onActive: setActive,
    onChoose: (index: number, how: "take" | "complete") => grouped[index]?.choose(how),
    onRemove: (index: number) => {
      const { remove } = grouped[index] ?? {};
      const { selectionEnd, value } = area.current!;
      if (!remove || selectionEnd < value.length) return false;
      remove();
      return true;
    },
    onClose: dismiss,
  });
  useImperativeHandle(box.partsRef, () => ({ onKey, submit: () => submit() }));

  const answer = (act: () => void) => () => {
    setQuestion(undefined);
    act();
    focus();
  };
  const hint = ghost(draft, commands);
  const tools = (
    <Tools
      area={area}
      write={write}
      hasMentions={page.entries.some(({ label }) => label)}
      takesFiles={takesFiles}
      accept={attachments.limits.accept}
      onFiles={(chosen) => {
        attachments.add(chosen);
        focus();
      }}
      tokens={page.tokens}
      onShowContext={box.onShowContext}
    />
  );

  return (
    <>
      <Pills
        page={page}
        mentions={mentions}
        isIncluded={(id) => client.isIncluded("context", id)}
        onMention={mentioning.add}
        onRemove={mentioning.remove}
        onLeaveOut={leaveOut}
        onLeave={focus}
      />
      <AttachmentList {...attachments} onLeave={focus} />
      {problem && <Notice onClose={() => setProblem(undefined)}>{problem}</Notice>}
      {question && (
        <CommandQuestion
          key={question.command}
          {...question}
          onSave={answer(() => {
            saveCommand(client, question.command, question.args);
            send(question.args, { kept: draft.trim() });
          })}
          onSend={answer(() => send(question.args || question.command, { kept: draft.trim() }))}
          onCancel={answer(() => {})}
        />
      )}
      {trigger && (
        <List
          id={listId}
          label={trigger.kind === "command" ? labels.commands : labels.mentions}
          options={grouped}
          active={at}
          empty={trigger.kind === "command" ? labels.noCommands : labels.noMentions}
          count={labels.optionCount(grouped.length)}
          onActive={setActive}
          onChoose={(index) => {
            grouped[index]?.choose("take");
            focus();
          }}
          onRemove={(index) => grouped[index]?.remove?.()}
        />
      )}
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
      {hint && (
        <div className="ps-ghost-text" aria-hidden="true" dir="auto">
          <span>{draft.endsWith(" ") ? draft : `${draft} `}</span>
          {hint}
        </div>
      )}
      {box.tools && createPortal(tools, box.tools)}
      {dropZone && createPortal(<div className="ps-drop">{labels.dropFiles}</div>, dropZone)}
    </>
  );
}

/** Writes into the box and puts the caret behind what was written. */
function useWriter({ area, draft, setDraft }: Box) {
  const caret = useRef<number>(undefined);
  useLayoutEffect(() => {
    const position = caret.current;
    caret.current = undefined;
    if (position !== undefined) area.current?.setSelectionRange(position, position);
  }, [area, draft]);
  return useCallback(
    (text: string, position = text.length) => {
      caret.current = position;
      setDraft(text);
    },
    [setDraft],
  );
}

/** Another list, or another question to it, begins at the top. */
function useActiveReset(trigger: Trigger | undefined, setActive: (index: number) => void) {
  const key = trigger && `${trigger.kind} ${trigger.query}`;
  useLayoutEffect(() => setActive(0), [key, setActive]);
}

/** What may follow a command, while nothing does yet. */
function ghost(draft: string, commands: readonly SlashCommand[]): string | undefined {
  if (!/^\/\S+ ?$/.test(draft)) return undefined;
  return findCommand(commands, draft.trim())?.argumentHint;
}
