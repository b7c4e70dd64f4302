import { AssistantTray } from "@pageside/react/tray";
import { Component, lazy, Suspense, useMemo, useState, type ReactNode } from "react";
import { Button } from "../ui/Button.tsx";
import { State } from "../ui/State.tsx";
import { useHref } from "./location.tsx";
import { ShellBar } from "./ShellBar.tsx";
import { ShellContext, type TrayTexts } from "./shell-context.ts";
import { useTheme } from "./theme.ts";

const Discover = lazy(() => import("../discover/App.tsx"));
const Research = lazy(() => import("../research/App.tsx"));

/**
 * The demo's two applications under one bar, with one assistant beside them: the conversation goes
 * on when the user changes from one to the other.
 */
export function Shell() {
  const research = /^\/research(?:[/?]|$)/.test(useHref());
  const [slot, setSlot] = useState<HTMLElement | null>(null);
  const [tray, setTray] = useState<TrayTexts>({ pageName: research ? "Research" : "Discover" });
  const shell = useMemo(() => ({ slot, setTray }), [slot]);
  const [theme] = useTheme();
  return (
    <ShellContext value={shell}>
      <div className="page">
        <ShellBar research={research} slotRef={setSlot} />
        <Boundary key={String(research)}>
          <Suspense fallback={<main className="main" aria-busy="true" />}>
            {research ? <Research /> : <Discover />}
          </Suspense>
        </Boundary>
      </div>
      <AssistantTray theme={theme} defaultOpen launcher={false} {...tray} />
    </ShellContext>
  );
}

/** Keeps the bar and the conversation when an application cannot be loaded or drawn. */
class Boundary extends Component<{ children: ReactNode }, { error?: Error }> {
  override state: { error?: Error } = {};

  static getDerivedStateFromError = (error: Error) => ({ error });

  override render() {
    const { error } = this.state;
    if (!error) return this.props.children;
    return (
      <main className="main" role="alert">
        <h1 className="sr-only">Pageside demo</h1>
        <State
          bad
          title="This page could not be shown"
          text={error.message}
          actions={<Button onClick={() => location.reload()}>Load it again</Button>}
        />
      </main>
    );
  }
}
