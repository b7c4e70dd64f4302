import { readMetadata, textOf, type Message, type MessageDetails, type SuggestedAction } from "@pageside/core";
import { useCallback, useEffect, useRef, useState, useSyncExternalStore, type RefObject } from "react";
import { useAssistantContext } from "../../context.js";
import { useSuggestions } from "../../hooks/useAssistantSuggestions.js";
import { useLabels } from "../../labels/useLabels.js";
import { Button } from "../../ui/Button.js";
import { holdsFocus } from "../../ui/focus.js";
import { errorText } from "../../ui/errors.js";
import { BoltIcon, RetryIcon } from "../../ui/icons.js";
import { Chips } from "./Chips.js";

interface Suggested extends Required<Pick<MessageDetails, "suggestedValues" | "suggestedActions">> {
  /** They are the page's own: no model wrote them. */
  isOwn: boolean;
  /** The last question. */
  asked: string;
}

/**
 * What the last answer suggests: chips that send a text, and buttons that carry out an action. If
 * it suggests nothing, what the page's components and the conversation suggest.
 */
export function Suggestions({ messages }: { messages: readonly Message[] }) {
  const { client } = useAssistantContext("Suggestions");
  const labels = useLabels();
  const { suggestedValues, suggestedActions, isOwn, asked } = suggestedBy(messages);
  if (suggestedValues.length + suggestedActions.length === 0) return <NextSuggestions asked={asked} />;
  return (
    <div className="ps-suggested ps-flow" role="group" aria-label={labels.suggested}>
      {suggestedActions.map((action, index) => (
        <ActionButton key={`${action.action} ${index}`} action={action} />
      ))}
      {suggestedValues.length > 0 && (
        <Chips values={suggestedValues} onSend={(value) => void client.send(value, isOwn ? {} : { suggested: true })} />
      )}
    </div>
  );
}

/** What may be asked next. Its row keeps its place while the server is asked: nothing moves. */
function NextSuggestions({ asked }: { asked: string }) {
  const { client, suggestions: store } = useAssistantContext("Suggestions");
  const labels = useLabels();
  const { suggestions } = useSuggestions();
  const row = useRef<HTMLDivElement>(null);
  const values = useHeld(suggestions, row).filter(({ value }) => plain(value) !== asked);
  if (!store.sources().some(({ instructions }) => instructions?.trim())) return null;
  return (
    <div ref={row} className="ps-suggested ps-next ps-flow" role="group" aria-label={labels.suggested}>
      {values.length > 0 && <Chips values={values} onSend={(value) => void client.send(value, { suggested: true })} />}
    </div>
  );
}

/** The newest value, but not while the focus is in the element: what is there stays there. */
function useHeld<T>(value: T, element: RefObject<HTMLElement | null>): T {
  const [held, setHeld] = useState(value);
  useEffect(() => {
    if (held === value) return;
    const show = () => setHeld(value);
    if (!holdsFocus(element.current)) return show();
    const { current } = element;
    current?.addEventListener("focusout", show, { once: true });
    return () => current?.removeEventListener("focusout", show);
  }, [held, value, element]);
  return held;
}

/** The suggestions of the last turn, on answers and on cards, without what was just asked. */
function suggestedBy(messages: readonly Message[]): Suggested {
  const begin = messages.findLastIndex(({ role }) => role === "user");
  const details = messages.slice(begin + 1).map(readMetadata);
  const asked = plain(textOf(messages[begin]?.content));
  return {
    suggestedValues: details
      .flatMap((each) => each.suggestedValues ?? [])
      .filter(({ value }) => plain(value) !== asked),
    suggestedActions: details.flatMap((each) => each.suggestedActions ?? []),
    asked,
    isOwn: details.every((each) => !each.suggestedValues || each.static === true),
  };
}

const plain = (text: string) => text.trim().toLowerCase();

/** The props of `<ActionButton>`. */
interface ActionButtonProps {
  action: SuggestedAction;
  /** It was carried out before, and failed. */
  again?: boolean;
}

/** Carries out an action in the page or on the server. Without a handler there is no button. */
export function ActionButton({ action: { label, action, handler: where, args }, again }: ActionButtonProps) {
  const { client, suggestedActions } = useAssistantContext("Suggestions");
  const labels = useLabels();
  const read = useCallback(() => suggestedActions.top(action), [suggestedActions, action]);
  const handler = useSyncExternalStore(suggestedActions.subscribe, read, read);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const onServer = where === "server";
  if (!onServer && !handler) return null;

  const run = async () => {
    if (busy) return;
    setBusy(true);
    setProblem(undefined);
    try {
      await (onServer ? client.runAction(action, args, { label }) : handler?.(args));
    } catch (cause) {
      if ((cause as Error).name !== "denied") setProblem(errorText(cause, labels));
    }
    setBusy(false);
  };

  return (
    <>
      <Button aria-disabled={busy || undefined} onClick={() => void run()}>
        {again ? <RetryIcon /> : <BoltIcon />}
        {again ? labels.retry : label}
      </Button>
      {problem && (
        <p className="ps-card-error" role="alert">
          {problem}
        </p>
      )}
    </>
  );
}
