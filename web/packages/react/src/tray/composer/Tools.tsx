import { useRef, type ReactNode, type RefObject } from "react";
import { useComposerLabels } from "../../labels/composer.js";
import { IconButton } from "../../ui/Button.js";
import { AtIcon, MicrophoneIcon, PaperclipIcon, SlashIcon } from "../../ui/partIcons.js";
import { ModelPicker } from "./ModelPicker.js";
import type { Dictating } from "./useDictation.js";

/** The props of `<Tools>`. */
interface ToolsProps {
  area: RefObject<HTMLTextAreaElement | null>;
  write: (text: string, caret?: number) => void;
  hasMentions: boolean;
  takesFiles: boolean;
  /** As the `accept` of a file input. */
  accept: string;
  onFiles: (files: File[]) => void;
  dictating: Dictating;
  /** What the assistant sees of the page, in tokens. */
  tokens: number;
  onShowContext?: () => void;
}

/** The buttons below the text: files, a mention, a command, and how much the assistant sees. */
export function Tools(props: ToolsProps) {
  const { area, write, hasMentions, takesFiles, accept, onFiles, dictating, tokens, onShowContext } = props;
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
      {takesFiles && <FilesTool accept={accept} onFiles={onFiles} />}
      {hasMentions && (
        <Tool name={labels.addMention} onClick={() => begin("@")}>
          <AtIcon />
        </Tool>
      )}
      <Tool name={`${labels.commands} (/)`} onClick={() => begin("/")}>
        <SlashIcon />
      </Tool>
      {dictating && (
        <Tool
          name={labels.dictate}
          hint={labels.dictateHint}
          pressed={dictating.isListening}
          onClick={dictating.toggle}
        >
          <MicrophoneIcon />
        </Tool>
      )}
      <span className="ps-grow" />
      <ModelPicker />
      {tokens > 0 && <Meter tokens={tokens} onShow={onShowContext} />}
    </>
  );
}

interface ToolProps {
  name: string;
  /** The tooltip. Default: the name. */
  hint?: string;
  /** Of a button that stays pressed. */
  pressed?: boolean;
  onClick: () => void;
  children: ReactNode;
}

function Tool({ name, hint = name, pressed, onClick, children }: ToolProps) {
  return (
    <IconButton isSmall label={name} aria-pressed={pressed} title={hint} onClick={onClick}>
      {children}
    </IconButton>
  );
}

function FilesTool({ accept, onFiles }: Pick<ToolsProps, "accept" | "onFiles">) {
  const labels = useComposerLabels();
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <Tool name={labels.addFiles} onClick={() => input.current?.click()}>
        <PaperclipIcon />
      </Tool>
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
