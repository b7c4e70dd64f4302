import { memo, type ReactNode } from "react";
import { useMessageLabels } from "../labels/messages.js";
import { partsOf, type Unseen } from "./unseen.js";

/** More characters are laid out in pieces, of which only those in view cost anything. */
const PIECE = 4_000;

/** A text that others wrote, with its invisible characters made visible. */
export const Revealed = memo(function Revealed({ text }: { text: string }): ReactNode {
  const content = partsOf(text).map((part, index) =>
    typeof part === "string" ? <Plain key={index} text={part} /> : <Mark key={index} unseen={part} />,
  );
  return <bdi className="ps-revealed">{content}</bdi>;
});

function Plain({ text }: { text: string }): ReactNode {
  if (text.length <= PIECE) return text;
  const pieces: ReactNode[] = [];
  for (let at = 0; at < text.length;) {
    const line = text.indexOf("\n", at + PIECE) + 1 || text.length;
    const end = Math.min(line, at + 2 * PIECE);
    pieces.push(
      <span key={at} className="ps-revealed-piece">
        {text.slice(at, end)}
      </span>,
    );
    at = end;
  }
  return pieces;
}

function Mark({ unseen: { kind, what } }: { unseen: Unseen }) {
  const labels = useMessageLabels();
  const name = labels.hidden(kind, what);
  return (
    <span className="ps-unseen" role="img" aria-label={name} title={name}>
      {kind === "character" ? what : name}
    </span>
  );
}
