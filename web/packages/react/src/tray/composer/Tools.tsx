import { useRef } from "react";
import { useComposerLabels } from "../../labels/composer.js";
import { IconButton } from "../../ui/Button.js";
import { AtIcon, MicrophoneIcon, PaperclipIcon, SlashIcon } from "../../ui/partIcons.js";
import { ModelPicker } from "./ModelPicker.js";
import type { Box } from "./types.js";
import type { Dictating } from "./useDictation.js";
import type { MessageFiles } from "./useFiles.js";
import type { PageEntries } from "./usePageEntries.js";
import type { Write } from "./useWriter.js";

interface ToolsProps {
  box: Box;
  write: Write;
  page: PageEntries;
  files: MessageFiles;
  dictating: Dictating;
  focus: () => void;
}

/** The buttons below the text: files, a mention, a command, and how much the assistant sees. */
export function Tools({ box, write, page, files, dictating, focus }: ToolsProps) {
  const { area, onShowContext } = box;
  const { entries, tokens } = page;
  const labels = useComposerLabels();

  const begin = (sign: "/" | "@") => {
    const element = area.current;
    if (!element) return;
    element.focus({ preventScroll: true });
    const { value, selectionStart } = element;
    if (sign === "/") return write(value.startsWith("/") ? value : `/${value && ` ${value}`}`, 1);
    const before = value.slice(0, selectionStart);
    const text = /\S$/.test(before) ? " @" : "@";
    write(before + text + value.slice(selectionStart), before.length + text.length);
  };

  return (
    <>
      {files.areTaken && (
        <FilesTool
          accept={files.limits.accept}
          onFiles={(chosen) => {
            files.add(chosen);
            focus();
          }}
        />
      )}
      {entries.some(({ label }) => label) && (
        <IconButton isSmall label={labels.addMention} onClick={() => begin("@")}>
          <AtIcon />
        </IconButton>
      )}
      <IconButton isSmall label={`${labels.commands} (/)`} onClick={() => begin("/")}>
        <SlashIcon />
      </IconButton>
      {dictating && (
        <IconButton
          isSmall
          label={labels.dictate}
          title={labels.dictateHint}
          aria-pressed={dictating.isListening}
          onClick={dictating.toggle}
        >
          <MicrophoneIcon />
        </IconButton>
      )}
      <span className="ps-grow" />
      <ModelPicker />
      {tokens > 0 && <Meter tokens={tokens} onShow={onShowContext} />}
    </>
  );
}

/** `accept` is as that of a file input. */
function FilesTool({ accept, onFiles }: { accept: string; onFiles: (files: File[]) => void }) {
  const labels = useComposerLabels();
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <IconButton isSmall label={labels.addFiles} onClick={() => input.current?.click()}>
        <PaperclipIcon />
      </IconButton>
      <input
        ref={input}
        type="file"
        hidden
        multiple
        accept={accept}
        aria-label={labels.addFiles}
        onChange={(event) => {
          onFiles([...(event.target.files ?? [])]);
          event.target.value = ""; // the same file may be chosen again
        }}
      />
    </>
  );
}

/** How much the assistant sees; a button where `onShow` shows it. */
function Meter({ tokens, onShow }: { tokens: number; onShow: (() => void) | undefined }) {
  const labels = useComposerLabels();
  const text = labels.contextTokens(tokens);
  const hint = labels.whatItSees(tokens);
  if (!onShow) {
    return (
      <span className="ps-meter" title={hint}>
        {text}
      </span>
    );
  }
  return (
    // An accessible name has to contain the text on the button.
    <button type="button" className="ps-meter" aria-label={`${text}. ${hint}`} title={hint} onClick={onShow}>
      {text}
    </button>
  );
}
