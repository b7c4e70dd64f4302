import { useMessageLabels } from "../../labels/messages.js";
import { AlertIcon } from "../../ui/icons.js";
import { sourceOf, type Violation } from "./violations.js";

/** What the page's Content-Security-Policy blocks, and what to do about it. */
export function PolicyNotice({ violation, onDismiss }: { violation: Violation; onDismiss: () => void }) {
  const labels = useMessageLabels();
  const { directive, blocked, isServed } = violation;
  return (
    <div className="ps-connection">
      <AlertIcon />
      <span style={{ overflowWrap: "anywhere" }} role="status">
        {isServed
          ? labels.policyOfServe(directive, nameOf(blocked))
          : labels.policyBlocks(directive, sourceOf(violation))}
      </span>
      <button type="button" className="ps-button ps-ghost" onClick={onDismiss}>
        {labels.dismiss}
      </button>
    </div>
  );
}

/** An address on this page's server without the server. */
const nameOf = (blocked: string) =>
  blocked.startsWith(location.origin) ? blocked.slice(location.origin.length) : blocked;
