import { useAssistantContext } from "../../context.js";
import { useAssistantSnapshot } from "../../hooks/use-assistant.js";
import { humanize } from "../format.js";
import { usePanelLabels } from "../frame/strings.js";
import { useAllowances } from "../useAllowances.js";

const ROW = { padding: "4px 10px" };

/** What runs without asking because the user said so, here or in this conversation; and the way back. */
export function AllowedTools() {
  const { client } = useAssistantContext("Sees");
  const labels = usePanelLabels();
  const allowances = useAllowances(client);
  const open = useAssistantSnapshot(({ threadId }) => threadId);
  const shown = allowances.all().filter(({ threadId }) => threadId === undefined || threadId === open);
  if (shown.length === 0) return null;
  return (
    <section aria-label={labels.allowedTools}>
      <h3 className="ps-panel-title">{labels.allowedTools}</h3>
      <ul>
        {shown.map(({ tool, threadId }) => (
          <li key={`${tool} ${threadId}`} className="ps-queue-head" style={ROW}>
            <span className="ps-seen-text">
              <span className="ps-seen-title">{humanize(tool)}</span>
              <span className="ps-seen-facts">{threadId ? labels.allowedInThread : labels.allowedInSession}</span>
            </span>
            <button
              type="button"
              className="ps-button"
              aria-label={labels.askAgainAbout(humanize(tool))}
              onClick={({ currentTarget }) => {
                currentTarget.closest<HTMLElement>("[role=dialog]")?.focus(); // the button goes
                allowances.revoke({ tool, threadId });
              }}
            >
              {labels.askAgain}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
