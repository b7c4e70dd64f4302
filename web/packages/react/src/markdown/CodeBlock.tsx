import { memo } from "react";
import { CopyButton } from "../tray/CopyButton.js";
import { useLabels } from "../tray/labels.js";

interface CodeBlockProps {
  code: string;
  /** As the fence names it; empty where it names none. */
  language: string;
}

/** A fenced or indented code block with its language and a copy button. */
export const CodeBlock = memo(function CodeBlock({ code, language }: CodeBlockProps) {
  const labels = useLabels();
  const name = language || labels.code;
  return (
    <figure className="ps-code" dir="ltr">
      <figcaption className="ps-code-head">
        <span className="ps-code-language">{name}</span>
        <CopyButton text={code} label={labels.copyCode} />
      </figcaption>
      <pre tabIndex={0} aria-label={name}>
        <code>{code}</code>
      </pre>
    </figure>
  );
});
