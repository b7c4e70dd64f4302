import { membersOf } from "@pageside/core/messages";
import type { ContextEntryInfo } from "@pageside/core";
import { useState } from "react";
import { useComposerLabels } from "../../labels/composer.js";
import { CloseIcon } from "../../ui/icons.js";
import { Popover } from "./Popover.js";
import { labelOf, type PageEntries } from "./usePageEntries.js";

interface PillsProps {
  page: PageEntries;
  mentions: readonly string[];
  /** Selections that the user took out of the message. */
  onMention: (id: string) => void;
  onRemove: (id: string) => void;
  onLeaveOut: (id: string) => void;
  isIncluded: (id: string) => boolean;
  onLeave: () => void;
}

/** The page's context of this message: selections and mentions. */
export function Pills({ page, mentions, isIncluded, onMention, onRemove, onLeaveOut, onLeave }: PillsProps) {
  const labels = useComposerLabels();
  const [open, setOpen] = useState<string>();
  const { entries, values } = page;
  const selections = entries.filter(
    ({ id, kind, auto }) => kind === "selection" && auto && !mentions.includes(id) && isIncluded(id),
  );
  const mentioned = mentions.flatMap((id) => entries.find((entry) => entry.id === id) ?? []);
  const shown = [...selections, ...mentioned];
  const opened = shown.find(({ id }) => id === open);
  if (shown.length === 0) return null;

  return (
    <>
      <ul className="ps-pills ps-flow" aria-label={labels.context}>
        {shown.map((entry) => (
          <Pill
            key={entry.id}
            entry={entry}
            value={values[entry.id]}
            isMention={mentions.includes(entry.id)}
            isOpen={open === entry.id}
            onToggle={() => setOpen(open === entry.id ? undefined : entry.id)}
            onMention={() => {
              onMention(entry.id);
              onLeave();
            }}
            onRemove={() => {
              (mentions.includes(entry.id) ? onRemove : onLeaveOut)(entry.id);
              onLeave();
            }}
          />
        ))}
      </ul>
      {opened && (
        <Preview
          entry={opened}
          value={values[opened.id]}
          onClose={() => {
            setOpen(undefined);
            onLeave();
          }}
        />
      )}
    </>
  );
}

interface PillProps {
  entry: ContextEntryInfo;
  /** What would be sent. */
  value: string | undefined;
  isMention: boolean;
  isOpen: boolean;
  onToggle: () => void;
  onMention: () => void;
  onRemove: () => void;
}

/** One entry: its name, which shows the value, and the buttons that mention it and take it out. */
function Pill({ entry, value, isMention, isOpen, onToggle, onMention, onRemove }: PillProps) {
  const labels = useComposerLabels();
  const name = entry.kind === "selection" && !entry.label ? labels.selected(excerpt(value)) : labelOf(entry);
  const remove = isMention ? labels.removeItem(name) : labels.leaveOut(name);
  return (
    <li className="ps-pill" data-mention={isMention || undefined}>
      <button
        type="button"
        className="ps-pill-name"
        aria-expanded={isOpen}
        title={labels.showContext(name)}
        onClick={onToggle}
      >
        <span dir="auto">{name}</span>
      </button>
      {entry.kind === "selection" && !isMention && (
        <button type="button" className="ps-pill-ask" onClick={onMention}>
          {labels.askAboutThis}
        </button>
      )}
      <button type="button" className="ps-pill-remove" aria-label={remove} title={remove} onClick={onRemove}>
        <CloseIcon />
      </button>
    </li>
  );
}

interface PreviewProps {
  entry: ContextEntryInfo;
  value: string | undefined;
  onClose: () => void;
}

/** The exact value that would be sent. */
function Preview({ entry, value, onClose }: PreviewProps) {
  const labels = useComposerLabels();
  const size = <span className="ps-muted">{value ? labels.bytes(value.length) : ""}</span>;
  return (
    <Popover key={entry.id} className="ps-preview" title={labels.contextPreview} note={size} onClose={onClose}>
      {() => (
        <>
          <p className="ps-muted" dir="auto">
            {entry.description}
          </p>
          {value === undefined ? (
            <p className="ps-muted">{labels.noValue}</p>
          ) : (
            <pre className="ps-json" tabIndex={0} aria-label={entry.description} dir="auto">
              {value}
            </pre>
          )}
        </>
      )}
    </Popover>
  );
}

/** The first words of a text, or of the text of a selection. */
function excerpt(value = ""): string {
  return textIn(value).replace(/\s+/g, " ").trim().slice(0, 60);
}

function textIn(value: string): string {
  try {
    const parsed: unknown = JSON.parse(value);
    if (typeof parsed === "string") return parsed;
    const { text } = membersOf(parsed);
    return typeof text === "string" ? text : value;
  } catch {
    return value;
  }
}
