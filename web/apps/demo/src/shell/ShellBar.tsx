import { useAssistant } from "@pageside/react";
import { useEffect, useRef } from "react";
import { useTheme } from "../app/theme.ts";
import { Icon } from "../components/Icon.tsx";
import { Link } from "./Link.tsx";
import { ModelBadge } from "./ModelBadge.tsx";
import { SettingsPanel } from "./SettingsPanel.tsx";
import type { AppName } from "./Shell.tsx";
import { TryMenu } from "./TryMenu.tsx";
import { useSettings } from "./settings.ts";
import "./shell.css";

interface ShellBarProps {
  app: AppName;
  slotRef(element: HTMLElement | null): void;
}

/** Which application this is, what it shows, who answers, and the way to the assistant. */
export function ShellBar({ app, slotRef }: ShellBarProps) {
  const settings = useSettings();
  return (
    <header className="top">
      <Link className="brand" href="/" aria-label="Pageside demo">
        <Mark />
        <span className="brand-name">Pageside</span>
      </Link>
      <nav className="apps" aria-label="Applications">
        <AppLink href="/" label="Discover" current={app === "discover"} />
        <AppLink href="/research" label="Research" current={app === "research"} />
      </nav>
      <div className="top-slot" ref={slotRef} />
      <TryMenu />
      <ModelBadge settings={settings} />
      <SettingsPanel settings={settings} />
      <ThemeToggle />
      <AssistantButton />
    </header>
  );
}

function AppLink({ href, label, current }: { href: string; label: string; current: boolean }) {
  return (
    <Link className="app-link" href={href} aria-current={current ? "true" : undefined}>
      {label}
    </Link>
  );
}

function ThemeToggle() {
  const [theme, toggle] = useTheme();
  const other = theme === "dark" ? "light" : "dark";
  return (
    <button
      type="button"
      className="icon-button theme-toggle"
      aria-label={`Use the ${other} theme`}
      title={`Use the ${other} theme`}
      onClick={toggle}
    >
      <Icon name={theme === "dark" ? "sun" : "moon"} />
    </button>
  );
}

function AssistantButton() {
  const { isOpen, toggle } = useAssistant();
  const button = useRef<HTMLButtonElement>(null);
  const wasOpen = useRef(isOpen);
  // Closing the tray leaves the focus nowhere when nothing had it before: then it belongs here.
  useEffect(() => {
    const active = document.activeElement;
    const lost = !active || active === document.body || active.closest("[inert]") !== null;
    if (wasOpen.current && !isOpen && lost) button.current?.focus({ preventScroll: true });
    wasOpen.current = isOpen;
  }, [isOpen]);
  return (
    <button
      ref={button}
      type="button"
      className="button button-soft assistant-button"
      aria-expanded={isOpen}
      onClick={toggle}
    >
      <Icon name="sparkle" size={15} />
      <span className="bar-text">Assistant</span>
    </button>
  );
}

function Mark() {
  return (
    <svg className="brand-mark" width="22" height="22" viewBox="0 0 32 32" aria-hidden="true" focusable="false">
      <rect className="brand-square" width="32" height="32" rx="8" />
      <rect className="brand-bar" x="7" y="17" width="4" height="8" rx="1.5" />
      <rect className="brand-bar" x="14" y="12" width="4" height="13" rx="1.5" />
      <rect className="brand-bar" x="21" y="7" width="4" height="18" rx="1.5" opacity=".65" />
    </svg>
  );
}
