import { useState } from "react";
import { useMessageLabels } from "../labels/messages.js";
import { Button, IconButton } from "../ui/Button.js";
import { CopyButton } from "../ui/CopyButton.js";
import { errorText } from "../ui/errors.js";
import { WrapIcon } from "../ui/partIcons.js";
import { useCodeActions, type CodeAction } from "./codeActions.js";

interface CodeToolsProps {
  code: string;
  language: string;
  /** The code is still being written: actions on it wait. */
  open: boolean;
}

/** The buttons at the head of a code block: those of the page, wrapping of long lines, copy. */
export function CodeTools({ code, language, open }: CodeToolsProps) {
  const labels = useMessageLabels();
  const [wrap, setWrap] = useState(false);
  const actions = useCodeActions(language);
  return (
    <>
      {actions.map((action, index) => (
        <ActionButton key={`${action.label} ${index}`} action={action} code={code} language={language} open={open} />
      ))}
      <IconButton
        isSmall
        className="ps-wrap"
        label={labels.wrapLines}
        aria-pressed={wrap}
        onClick={() => setWrap(!wrap)}
      >
        <WrapIcon />
      </IconButton>
      <CopyButton text={code} label={labels.copyCode} />
    </>
  );
}

function ActionButton({ action, code, language, open }: CodeToolsProps & { action: CodeAction }) {
  const labels = useMessageLabels();
  const [problem, setProblem] = useState<string>();
  const run = async () => {
    if (open) return;
    setProblem(undefined);
    try {
      await action.run(code, language);
    } catch (cause) {
      setProblem(errorText(cause, labels));
    }
  };
  return (
    <>
      {problem && (
        <span className="ps-card-error ps-code-problem ps-cut" role="alert" title={problem}>
          {problem}
        </span>
      )}
      <Button look="ghost" className="ps-code-action" aria-disabled={open || undefined} onClick={() => void run()}>
        {action.label}
      </Button>
    </>
  );
}
