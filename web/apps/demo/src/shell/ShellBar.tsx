import { useAssistant, useAssistantActions, useSuggestedAction } from "@pageside/react";
import { useEffect, useRef, useState } from "react";
import { Button, IconButton } from "../ui/Button.tsx";
import { useLoad } from "../ui/hooks.ts";
import { ConnectDialog } from "./ConnectDialog.tsx";
import { Link } from "./location.tsx";
import { modelApi } from "./model.ts";
import { ModelButton, SettingsPanel } from "./Settings.tsx";
import { useTheme } from "./theme.ts";
import { TryMenu } from "./TryMenu.tsx";
import "./shell.css";

interface ShellBarProps {
  research: boolean;
  slotRef(element: HTMLElement | null): void;
}

/** The name of the application, its data, the model, and the button of the assistant. */
export function ShellBar({ research, slotRef }: ShellBarProps) {
  const [theme, choose] = useTheme();
  const other = theme === "dark" ? "light" : "dark";
  return (
    <header className="top">
      <Link className="brand" href="/" aria-label="Pageside demo">
        <img src="/icon.svg" width="22" height="22" alt="" />
        <span className="brand-name">Pageside</span>
      </Link>
      <nav className="apps" aria-label="Applications">
        <Link className="app-link tab" href="/" aria-current={!research || undefined}>
          Discover
        </Link>
        <Link className="app-link tab" href="/research" aria-current={research || undefined}>
          Research
        </Link>
      </nav>
      <div className="top-slot" ref={slotRef} />
      <TryMenu />
      <Model />
      <IconButton
        icon={theme === "dark" ? "sun" : "moon"}
        label={`Use the ${other} theme`}
        className="icon-button theme-toggle"
        onClick={() => choose(other)}
      />
      <AssistantButton />
    </header>
  );
}

/** The model that answers, and the dialog that connects another. */
function Model() {
  const { data: connection, reload } = useLoad("model", modelApi.read);
  const [isOpen, setOpen] = useState(false);
  const { client } = useAssistantActions();
  const open = () => {
    reload(); // an Ollama may have been started
    setOpen(true);
  };
  useSuggestedAction("connect_model", open);
  const changed = () => {
    reload();
    void client.refreshAgent().catch(() => undefined); // the tray shows the name when it is read again
  };
  return (
    <>
      <ModelButton connection={connection} onConnect={open} />
      <SettingsPanel connection={connection} onConnect={open} />
      {isOpen && connection && (
        <ConnectDialog connection={connection} onChange={changed} onClose={() => setOpen(false)} />
      )}
    </>
  );
}

function AssistantButton() {
  const { isOpen, toggle } = useAssistant();
  const button = useRef<HTMLButtonElement>(null);
  const wasOpen = useRef(isOpen);
  // If nothing had the focus before, closing the tray moves it here.
  useEffect(() => {
    const active = document.activeElement;
    const lost = !active || active === document.body || active.closest("[inert]") !== null;
    if (wasOpen.current && !isOpen && lost) button.current?.focus({ preventScroll: true });
    wasOpen.current = isOpen;
  }, [isOpen]);
  return (
    <Button
      kind="soft"
      icon="sparkle"
      className="assistant-button"
      ref={button}
      aria-expanded={isOpen}
      onClick={toggle}
    >
      <span className="bar-text">Assistant</span>
    </Button>
  );
}
