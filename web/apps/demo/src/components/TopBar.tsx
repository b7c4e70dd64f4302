import { useAssistant } from "@pageside/react";
import { useEffect, useRef } from "react";
import { useDiscover } from "../app/discover-context.ts";
import { useTheme } from "../app/theme.ts";
import { Icon } from "./Icon.tsx";
import "./top-bar.css";

/** What this is, what it shows, who answers, and the way to the assistant. */
export function TopBar() {
  const { info, infoError } = useDiscover().snapshot;
  return (
    <header className="top">
      <a className="brand" href="/">
        <Mark />
        <h1>Discover</h1>
      </a>
      {info && (
        <div className="source" title={info.source.file || info.source.label}>
          <Icon name="database" size={15} />
          <span className="source-name">{info.source.name}</span>
          {info.source.generated ? (
            <span className="badge">generated sample</span>
          ) : (
            <span className="source-label wide-only">{info.source.label}</span>
          )}
        </div>
      )}
      {!info && infoError && <div className="source">No data source</div>}
      <span className="spring" />
      {info && (
        <div
          className="model"
          title={
            info.model.scripted ? "Plays written rules: no language model answers" : "Answers the assistant's questions"
          }
        >
          <span className="wide-only">{info.model.name}</span>
          {info.model.scripted && <span className="badge">scripted</span>}
        </div>
      )}
      <ThemeToggle />
      <AssistantButton />
    </header>
  );
}

function ThemeToggle() {
  const [theme, toggle] = useTheme();
  const other = theme === "dark" ? "light" : "dark";
  return (
    <button
      type="button"
      className="icon-button"
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
      <span>Assistant</span>
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
