import type { ThreadShare } from "@pageside/core/server";
import { useEffect, useRef, useState, type FormEvent } from "react";
import { useAssistantContext } from "../../context.js";
import { useAssistantSnapshot } from "../../hooks/useAssistant.js";
import { usePanelLabels } from "../../labels/panels.js";
import { Button } from "../../ui/Button.js";
import { copyText } from "../../ui/clipboard.js";
import { sharedLink } from "../frame/useSharedLink.js";
import type { Toast } from "../panels/Toast.js";
import { useShares } from "./useShares.js";

const ROW = { padding: "4px 10px" };

/** How long a link may work, in days. */
const DAYS = [7, 30, 365];
const BY_DEFAULT = 30;

/** Makes links to the open conversation, lists those that work, and revokes them. */
export function ShareThread({ toast }: { toast: Toast }) {
  const threadId = useAssistantSnapshot((thread) => thread.threadId);
  return <Shares key={threadId} threadId={threadId} toast={toast} />;
}

function Shares({ threadId, toast }: { threadId: string; toast: Toast }) {
  const { client } = useAssistantContext("ShareThread");
  const labels = usePanelLabels();
  const { shares, created, busy, problem, create, revoke } = useShares(client, threadId);
  const [days, setDays] = useState(BY_DEFAULT);
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    void create(days);
  };
  const onRevoke = async (share: ThreadShare) => {
    if (await revoke(share)) toast.show({ text: labels.linkRevoked });
  };
  return (
    <div className="ps-panel-body ps-sees ps-text-md">
      <p className="ps-muted">{labels.shareHint}</p>
      <form className="ps-share ps-row" onSubmit={onSubmit}>
        <label className="ps-row">
          {labels.shareFor}
          <select className="ps-text-field" value={days} onChange={({ target }) => setDays(Number(target.value))}>
            {DAYS.map((each) => (
              <option key={each} value={each}>
                {labels.shareDays(each)}
              </option>
            ))}
          </select>
        </label>
        <Button type="submit" look={created ? undefined : "primary"} aria-disabled={busy || undefined}>
          {labels.createLink}
        </Button>
      </form>
      {problem && (
        <p className="ps-card-error" role="alert">
          {problem}
        </p>
      )}
      {created && <NewLink key={created.id} link={sharedLink(created.token)} toast={toast} />}
      {shares.length > 0 && <Links shares={shares} onRevoke={(share) => void onRevoke(share)} />}
    </div>
  );
}

/** A link that was just made. Its button gets the focus, so that Enter copies it. */
function NewLink({ link, toast }: { link: string; toast: Toast }) {
  const labels = usePanelLabels();
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => button.current?.focus(), []);
  const copy = async () => toast.show({ text: (await copyText(link)) ? labels.copied : labels.copyFailed });
  return (
    <div className="ps-share ps-row" role="group" aria-label={labels.newLink}>
      <input
        className="ps-text-field"
        aria-label={labels.newLink}
        dir="ltr"
        readOnly
        value={link}
        onFocus={({ target }) => target.select()}
      />
      <Button look="primary" ref={button} onClick={() => void copy()}>
        {labels.copyLink}
      </Button>
      <p className="ps-muted ps-text-xs">{labels.linkOnce}</p>
    </div>
  );
}

/** The links that work. Which is which is told by the day of their end. */
function Links({ shares, onRevoke }: { shares: readonly ThreadShare[]; onRevoke: (share: ThreadShare) => void }) {
  const labels = usePanelLabels();
  return (
    <section aria-label={labels.links}>
      <h3 className="ps-panel-title ps-text-xs">{labels.links}</h3>
      <ul>
        {shares.map((share) => {
          const until = labels.linkUntil(new Date(share.expiresAt));
          const created = labels.linkCreated(new Date(share.createdAt));
          return (
            <li key={share.id} className="ps-queue-head ps-row" style={ROW}>
              <div className="ps-seen-text">
                <span className="ps-seen-title">{until}</span>
                <span className="ps-seen-facts ps-text-sm">{created}</span>
              </div>
              <Button
                aria-label={`${labels.revokeLink}: ${created}, ${until}`}
                onClick={({ currentTarget }) => {
                  currentTarget.closest<HTMLElement>("[role=dialog]")?.focus(); // the button goes
                  onRevoke(share);
                }}
              >
                {labels.revokeLink}
              </Button>
            </li>
          );
        })}
      </ul>
      <p className="ps-muted ps-text-xs" style={ROW}>
        {labels.linksHint}
      </p>
    </section>
  );
}
