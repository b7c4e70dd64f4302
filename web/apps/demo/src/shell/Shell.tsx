import { AssistantProvider, AssistantTray } from "@pageside/react";
import { lazy, Suspense, useMemo, useState } from "react";
import { useTheme } from "../app/theme.ts";
import { AppBoundary } from "./AppBoundary.tsx";
import { useHref } from "./location.ts";
import { ShellBar } from "./ShellBar.tsx";
import { ShellContext, type TrayTexts } from "./shell-context.tsx";

const Discover = lazy(() => import("../app/App.tsx").then(({ App }) => ({ default: App })));
const Research = lazy(() => import("../research/Research.tsx").then((module) => ({ default: module.Research })));

/**
 * The demo's two applications under one bar, with one assistant beside them: the conversation goes
 * on when the user changes over.
 */
export function Shell() {
  return (
    <AssistantProvider memory="tab">
      <Frame />
    </AssistantProvider>
  );
}

function Frame() {
  const app = appOf(useHref());
  const [slot, setSlot] = useState<HTMLElement | null>(null);
  const [tray, setTray] = useState<TrayTexts>({ pageName: app === "research" ? "Research" : "Discover" });
  const shell = useMemo(() => ({ slot, setTray }), [slot]);
  const [theme] = useTheme();
  return (
    <ShellContext value={shell}>
      <div className="page">
        <ShellBar app={app} slotRef={setSlot} />
        <AppBoundary key={app}>
          <Suspense fallback={<main className="main" aria-busy="true" />}>
            {app === "research" ? <Research /> : <Discover />}
          </Suspense>
        </AppBoundary>
      </div>
      <AssistantTray theme={theme} defaultOpen launcher={false} {...tray} />
    </ShellContext>
  );
}

export type AppName = "discover" | "research";

function appOf(href: string): AppName {
  return /^\/research(?:[/?]|$)/.test(href) ? "research" : "discover";
}
