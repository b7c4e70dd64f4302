import { useRef, useState, type KeyboardEvent } from "react";
import { useAssistantContext } from "../../context.js";
import { usePanelLabels } from "../../labels/panels.js";
import { useFocusInside } from "../../ui/useFocusInside.js";

interface RenameFieldProps {
  title: string;
  /** Saves the name. Where that fails it rejects, and the field stays open. */
  onSave: (title: string) => Promise<void>;
  onDone: () => void;
}

/** A name being changed: Enter and leaving the field save it, Escape does not. */
export function RenameField({ title, onSave, onDone }: RenameFieldProps) {
  const labels = usePanelLabels();
  const field = useRef<HTMLInputElement>(null);
  const isOver = useRef(false);
  const [failed, setFailed] = useState(false);
  useFocusInside(field);

  const end = async (save: boolean) => {
    if (isOver.current) return;
    isOver.current = true;
    const name = field.current!.value.trim();
    try {
      if (save && name && name !== title) await onSave(name);
      onDone();
    } catch {
      isOver.current = false;
      setFailed(true);
    }
  };

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing || event.keyCode === 229) return;
    if (event.key !== "Tab") event.stopPropagation(); // letters are letters here
    if (event.key !== "Enter" && event.key !== "Escape") return;
    event.preventDefault();
    void end(event.key === "Enter");
  };

  return (
    <>
      <input
        ref={field}
        className="ps-text-field ps-rename"
        dir="auto"
        maxLength={200}
        defaultValue={title}
        aria-label={labels.titleInput}
        aria-invalid={failed || undefined}
        onFocus={(event) => event.target.select()}
        onKeyDown={onKeyDown}
        onBlur={() => void end(true)}
      />
      {failed && (
        <span className="ps-sr-only" role="alert">
          {labels.changeFailed}
        </span>
      )}
    </>
  );
}

/** The props of `<TitleField>`. */
export interface TitleFieldProps {
  title: string;
  onDone: () => void;
}

/** Changes the title of the open conversation, in the header. */
export function TitleField({ title, onDone }: TitleFieldProps) {
  const { client } = useAssistantContext("TitleField");
  const save = (name: string) => client.threads.rename(client.getSnapshot().threadId, name);
  return <RenameField title={title} onSave={save} onDone={onDone} />;
}
