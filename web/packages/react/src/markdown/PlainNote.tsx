import { useMessageLabels } from "../labels/messages.js";

const NO_MARGIN = { margin: 0 };

/** Says that some of a text is plain. */
export function PlainNote() {
  return (
    <div className="ps-connection" style={NO_MARGIN} role="note">
      {useMessageLabels().shownPlain}
    </div>
  );
}
