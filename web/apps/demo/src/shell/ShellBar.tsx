import { useAssistant } from "@pageside/react";
import { useEffect, useRef } from "react";
import { Button, IconButton } from "../ui/Button.tsx";
import { Link } from "./location.tsx";
import { ModelBadge, SettingsPanel } from "./Settings.tsx";
import { useSettings } from "./settings.ts";
import { useTheme } from "./theme.ts";
import { TryMenu } from "./TryMenu.tsx";
import "./shell.css";

interface ShellBarProps {
  research: boolean;
  slotRef(element: HTMLElement | null): void;
}

/** The name of the application, its data, the model, and the button of the assistant. */
export function ShellBar({ research, slotRef }: ShellBarProps) {
  const settings = useSettings();
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
      <ModelBadge {...settings} />
      <SettingsPanel {...settings} />
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
