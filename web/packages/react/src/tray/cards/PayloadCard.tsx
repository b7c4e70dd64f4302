import { membersOf } from "@pageside/core/messages";
import { BLOCK_TYPE } from "@pageside/core";
import { memo, useContext, useEffect, useId, useRef, useState, type ReactNode } from "react";
import type { PayloadHandler, PayloadProps, PayloadState } from "../../hooks/payloads.js";
import { useMessageLabels } from "../../labels/messages.js";
import { useLabels } from "../../labels/useLabels.js";
import { Button, IconButton } from "../../ui/Button.js";
import { humanize } from "../../ui/format.js";
import { AlertIcon, BlockedIcon, CheckIcon, MoreIcon } from "../../ui/icons.js";
import { KeyValues } from "../../ui/KeyValues.js";
import { isNothing, RenderBoundary } from "../../ui/RenderBoundary.js";
import { ReadOnlyContext } from "../transcript/readOnly.js";
import { Disclosure } from "../transcript/Disclosure.js";
import { usePayloadCard, type CardRef, type PayloadCardState } from "./usePayloadCard.js";

/**
 * A payload: drawn by its type's `render` or as a list, with Accept, Dismiss and Undo if the page
 * offers them.
 */
export const PayloadCard = memo(function PayloadCard({ payload }: { payload: PayloadState }) {
  const readOnly = useContext(ReadOnlyContext);
  if (payload.status === "failed") return <FailedCard payload={payload} />;
  return <LiveCard payload={readOnly ? { ...payload, readOnly } : payload} />;
});

function LiveCard({ payload }: { payload: PayloadState }) {
  const labels = useLabels();
  const card = useRef<HTMLDivElement>(null);
  const state = usePayloadCard(payload, card);
  const titleId = useId();
  const { status, streaming } = payload;
  const fresh = useFresh(status, card);
  const title = titleOf(state.look, payload);
  const body = <Body payload={payload} state={state} />;
  return (
    <div
      ref={card}
      className="ps-card"
      role="group"
      aria-labelledby={titleId}
      aria-busy={streaming || state.busy || undefined}
      data-status={status}
    >
      {status === "open" ? (
        <>
          <p className="ps-card-title" id={titleId}>
            {title}
            {streaming && <span className="ps-sr-only">, {labels.cardGrowing}</span>}
          </p>
          {body}
          <Footer payload={payload} state={state} />
        </>
      ) : (
        <Settled payload={payload} state={state} title={title} titleId={titleId} fresh={fresh}>
          {body}
        </Settled>
      )}
      {state.error && (
        <p className="ps-card-error" role="alert">
          {state.error}
        </p>
      )}
    </div>
  );
}

/** How long an accepted card shows its Undo button. After that it is behind "More". */
const UNDO_MS = 10_000;

/**
 * Reports whether the status changed here within the last seconds. They do not end while the focus
 * or the pointer is in the card.
 */
function useFresh(status: string, card: CardRef): boolean {
  const [{ of, changed }, setState] = useState({ of: status, changed: false });
  if (of !== status) setState({ of: status, changed: true });
  useEffect(() => {
    if (!changed) return;
    const timer = setInterval(() => {
      const used = card.current?.matches(":focus-within, :hover");
      if (!used) setState({ of: status, changed: false });
    }, UNDO_MS);
    return () => clearInterval(timer);
  }, [changed, status, card]);
  return changed;
}

interface PartProps {
  payload: PayloadState;
  state: PayloadCardState;
}

/** Reserves its space while the payload streams, so that nothing moves when it is complete. */
function Footer({ payload, state: { handler, busy, accept, dismiss } }: PartProps) {
  const labels = useMessageLabels();
  if (payload.readOnly) return <p className="ps-card-footer ps-muted ps-text-xs">{labels.cardReadOnly}</p>;
  if (!handler?.accept && !handler?.dismiss) return null;
  const disabled = payload.streaming || busy || undefined;
  return (
    <div className="ps-card-footer">
      <Button look="ghost" aria-disabled={disabled} onClick={dismiss}>
        {labels.dismiss}
      </Button>
      {handler.accept && (
        <Button look="primary" isNext aria-disabled={disabled} onClick={accept}>
          {handler.acceptLabel ?? labels.accept}
        </Button>
      )}
    </div>
  );
}

/** An accepted or dismissed card: one line that opens. */
function Settled({ payload, state, title, titleId, fresh, children }: PartProps & SettledProps) {
  const labels = useMessageLabels();
  const [open, setOpen] = useState(false);
  const [more, setMore] = useState(false);
  const { handler, look, busy, undo } = state;
  const accepted = payload.status === "accepted";
  return (
    <>
      <div className="ps-card-line ps-row ps-tight">
        <Disclosure isNext icon={accepted ? <CheckIcon /> : <BlockedIcon />} open={open} onToggle={setOpen}>
          <span className="ps-tool-label" id={titleId}>
            {accepted ? (look?.acceptedLabel ?? `${title}: ${labels.accepted}`) : labels.dismissed(title)}
          </span>
        </Disclosure>
        {accepted && handler?.undo && !fresh && (
          <IconButton isSmall label={labels.menu} aria-expanded={more} onClick={() => setMore(!more)}>
            <MoreIcon />
          </IconButton>
        )}
        {(accepted ? handler?.undo && (fresh || more) : !payload.readOnly) && (
          <Button look="ghost" aria-disabled={busy || undefined} onClick={undo}>
            {accepted ? labels.undo : labels.restore}
          </Button>
        )}
      </div>
      {open && children}
    </>
  );
}

interface SettledProps {
  /** Was it accepted here a moment ago? */
  fresh: boolean;
  title: string;
  titleId: string;
  children: ReactNode;
}

function Body({ payload, state: { look, accept, dismiss, undo } }: PartProps) {
  const { messageId, type, streaming, status, readOnly } = payload;
  const data = dataOf(payload);
  const waiting = streaming && isEmpty(data);
  const fallback = waiting ? <CardSkeleton /> : <KeyValues value={data} />;
  const render = look?.render;
  return (
    <div className="ps-card-body">
      {waiting || !render || status === "failed" ? (
        fallback
      ) : (
        <RenderBoundary attempt={data} fallback={streaming ? <CardSkeleton /> : fallback}>
          <Drawn
            render={render}
            fallback={fallback}
            payload={{ messageId, type, data, streaming, status, readOnly, accept, dismiss, undo }}
          />
        </RenderBoundary>
      )}
    </div>
  );
}

/** A component of its own, because a `render` may use hooks. */
function Drawn({ render, fallback, payload }: DrawnProps) {
  const node = render(payload);
  return isNothing(node) ? fallback : <div className="ps-host">{node}</div>;
}

interface DrawnProps {
  render: NonNullable<PayloadHandler["render"]>;
  fallback: ReactNode;
  payload: PayloadProps;
}

function FailedCard({ payload }: { payload: PayloadState }) {
  const labels = useLabels();
  const { message } = membersOf(membersOf(payload.data).error);
  return (
    <div className="ps-card ps-card-failed" role="group" aria-label={labels.cardFailed}>
      <AlertIcon />
      <div>
        <p className="ps-card-title">{labels.cardFailed}</p>
        <p className="ps-muted">
          {humanize(payload.type)}
          {typeof message === "string" && `: ${message}`}
        </p>
      </div>
    </div>
  );
}

const CardSkeleton = () => (
  <div className="ps-card-skeleton ps-shimmer ps-stack">
    <span />
    <span />
  </div>
);

function titleOf(look: PayloadHandler | undefined, { type, data }: PayloadState): string {
  if (type === BLOCK_TYPE) return humanize(String(membersOf(data)["name"] ?? "data"));
  try {
    return (typeof look?.title === "function" ? look.title(data) : look?.title) || humanize(type);
  } catch {
    return humanize(type); // the data may not have arrived yet
  }
}

/** What the card shows. */
const dataOf = ({ type, data }: PayloadState): unknown => (type === BLOCK_TYPE ? membersOf(data)["data"] : data);

const isEmpty = (data: unknown) => typeof data !== "object" || data === null || Object.keys(data).length === 0;
