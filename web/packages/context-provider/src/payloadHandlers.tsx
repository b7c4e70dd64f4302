import {
  AssistantProvider as OwnProvider,
  useAssistantContext,
  type AssistantProviderProps,
  type PayloadHandler,
  type Payloads,
  type Untyped,
} from "@pageside/react";
import { useLayoutEffect, type ReactNode } from "react";
import { AssistantActionProvider as OwnActionProvider } from "./actionProvider.js";

/** What the drawing of a payload may call. */
export interface PayloadCallbacks {
  /** Accepts the payload: the server keeps it, and the model is told with the next message. */
  onAccept(): void;
  /** Dismisses it. */
  onReject(): void;
}

/** How the payloads of a type are drawn, for `registerPayloadHandler`. */
export interface RegisteredPayload<Data = Untyped> {
  /** Draws the card's body. While the payload streams, any field of `data` may be missing. */
  render(data: Data, callbacks: PayloadCallbacks): ReactNode;
}

interface Entry {
  type: string;
  handler: PayloadHandler;
}

const entries = new Set<Entry>();

/** What undoes an entry, by the provider that has it. */
const providers = new Map<Payloads, Map<Entry, () => void>>();

/** Hooks of mounted components win over what a module has registered. */
const BELOW_HOOKS = 0;

function add(entry: Entry, payloads: Payloads, undos: Map<Entry, () => void>) {
  undos.set(entry, payloads.register(entry.type, entry.handler, BELOW_HOOKS));
}

/**
 * Draws the payloads of one type in every provider of the page, from any module: `usePayload`
 * without a component. The function undoes it.
 *
 * @example
 * registerPayloadHandler("schema_proposal", {
 *   render: (data, { onAccept, onReject }) => (
 *     <SchemaProposalCard proposal={data} onAccept={onAccept} onReject={onReject} />
 *   ),
 * });
 */
export function registerPayloadHandler<Data = Untyped>(type: string, { render }: RegisteredPayload<Data>): () => void {
  const decides = render.length > 1;
  const handler: PayloadHandler = {
    render: ({ data, accept, dismiss }) => render(data as Data, { onAccept: accept, onReject: dismiss }),
    ...(decides && { accept: () => undefined, dismiss: () => undefined }),
  };
  const entry = { type, handler };
  entries.add(entry);
  for (const [payloads, undos] of providers) add(entry, payloads, undos);
  return () => {
    entries.delete(entry);
    for (const undos of providers.values()) {
      undos.get(entry)?.();
      undos.delete(entry);
    }
  };
}

/** Gives the provider around what modules have registered. */
function RegisteredPayloads(): null {
  const { payloads } = useAssistantContext("RegisteredPayloads");
  useLayoutEffect(() => {
    const undos = new Map<Entry, () => void>();
    for (const entry of entries) add(entry, payloads, undos);
    providers.set(payloads, undos);
    return () => {
      providers.delete(payloads);
      for (const undo of undos.values()) undo();
    };
  }, [payloads]);
  return null;
}

/** `AssistantProvider` of the package, with what `registerPayloadHandler` has registered. */
export function AssistantProvider({ children, ...options }: AssistantProviderProps): ReactNode {
  return (
    <OwnProvider {...options}>
      <RegisteredPayloads />
      {children}
    </OwnProvider>
  );
}

/** `AssistantActionProvider` of the package, with what `registerPayloadHandler` has registered. */
export function AssistantActionProvider({ children, ...options }: AssistantProviderProps): ReactNode {
  return (
    <OwnActionProvider {...options}>
      <RegisteredPayloads />
      {children}
    </OwnActionProvider>
  );
}
