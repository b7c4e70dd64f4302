import { useRef, type RefObject } from "react";
import { AtIcon, PaperclipIcon, SlashIcon } from "./icons.js";
import { useComposerLabels } from "../../labels/composer.js";

export interface ToolsProps {
  area: RefObject<HTMLTextAreaElement | null>;
  write: (text: string, caret?: number) => void;
  hasMentions: boolean;
  takesFiles: boolean;
  accept: string;
  onFiles: (files: File[]) => void;
  /** What the assistant sees of the page, in tokens. */
  tokens: number;
  onShowContext?: () => void;
}

/** The buttons below the text: files, a mention, a command, and how much the assistant sees. */
export function Tools(props: ToolsProps) {
  const { area, write, hasMentions, takesFiles, accept, onFiles, tokens, onShowContext } = props;
  const labels = useComposerLabels();
  const input = useRef<HTMLInputElement>(null);

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
      {takesFiles && (
        <>
          <button
            type="button"
            className="ps-icon-button ps-small"
            aria-label={labels.addFiles}
            title={labels.addFiles}
            onClick={() => input.current?.click()}
          >
            <PaperclipIcon />
          </button>
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
      )}
      {hasMentions && (
        <button
          type="button"
          className="ps-icon-button ps-small"
          aria-label={labels.addMention}
          title={labels.addMention}
          onClick={() => begin("@")}
        >
          <AtIcon />
        </button>
      )}
      <button
        type="button"
        className="ps-icon-button ps-small"
        aria-label={labels.addCommand}
        title={labels.addCommand}
        onClick={() => begin("/")}
      >
        <SlashIcon />
      </button>
      <span className="ps-tools-space" />
      {tokens > 0 &&
        (onShowContext ? (
          <button
            type="button"
            className="ps-meter"
            // what is seen is part of what is said
            aria-label={`${labels.contextTokens(tokens)}. ${labels.contextTokensHint(tokens)}`}
            title={labels.contextTokensHint(tokens)}
            onClick={onShowContext}
          >
            {labels.contextTokens(tokens)}
          </button>
        ) : (
          <span className="ps-meter" title={labels.contextTokensHint(tokens)}>
            {labels.contextTokens(tokens)}
          </span>
        ))}
    </>
  );
}
