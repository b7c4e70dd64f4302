import type { PagesideClient } from "@pageside/core";
import {
  AssistantProvider,
  AssistantTray,
  useAssistantContext,
  usePageContext,
  usePayload,
  type AssistantTrayProps,
} from "./sdk.js";
import { useEffect, useLayoutEffect, useRef, useSyncExternalStore } from "react";
import type { List } from "../../react/src/ui/list.js";
import type { Page } from "./page.js";
import type { Drawn, HostPayload } from "./payloads.js";

/** The props that the element gives its tray. */
interface TrayProps extends AssistantTrayProps {
  page: Page;
  client: PagesideClient;
  /** Whether the tray is open, and how it is opened. Called at first and with every change. */
  onOpen: (isOpen: boolean, setOpen: (open: boolean) => void) => void;
}

/** The content of the shadow root of `<pageside-tray>`. */
export function Tray({ page, client, onOpen, ...props }: TrayProps) {
  const suggestions = useList(page.suggestions);
  return (
    <AssistantProvider client={client}>
      <OpenState onOpen={onOpen} />
      {client === page.client && <Declared page={page} />}
      <AssistantTray {...props} suggestions={suggestions} />
    </AssistantProvider>
  );
}

function useList<Item>(list: List<Item>): readonly Item[] {
  return useSyncExternalStore(list.subscribe, list.all);
}

function OpenState({ onOpen }: Pick<TrayProps, "onOpen">) {
  const { tray } = useAssistantContext();
  useEffect(() => {
    const tell = () => onOpen(tray.isOpen, tray.setOpen);
    tell();
    return tray.subscribe(tell);
  }, [tray, onOpen]);
  return null;
}

/** Registers what needs React: the page's address and its payloads. */
function Declared({ page }: { page: Page }) {
  usePageContext();
  const payloads = useList(page.payloads);
  return (
    <>
      {payloads.map((payload, index) => (
        <RegisteredPayload key={`${payload.type} ${index}`} payload={payload} />
      ))}
    </>
  );
}

function RegisteredPayload({ payload: { type, render, ...rest } }: { payload: HostPayload }) {
  usePayload(type, { ...rest, render: render && ((props) => <HostContent drawn={render(props)} />), deps: [render] });
  return null;
}

/** Inserts what the page drew as it is: text stays text. */
function HostContent({ drawn }: { drawn: Drawn }) {
  const place = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const content = drawn === null || drawn === undefined ? [] : [drawn instanceof Node ? drawn : String(drawn)];
    place.current?.replaceChildren(...content);
  }, [drawn]);
  return <div ref={place} className="ps-host" />;
}
