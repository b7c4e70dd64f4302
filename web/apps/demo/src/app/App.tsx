import { AssistantProvider, AssistantTray } from "@pageside/react";
import { useEffect, useState } from "react";
import { createApi } from "../api/client.ts";
import { DiscoverAssistant } from "../assistant/DiscoverAssistant.tsx";
import { ChangeToast } from "../components/ChangeToast.tsx";
import { DetailFlyout } from "../components/DetailFlyout.tsx";
import { FilterBar } from "../components/FilterBar.tsx";
import { HistogramPanel } from "../components/HistogramPanel.tsx";
import { QueryBar } from "../components/QueryBar.tsx";
import { Results } from "../components/Results.tsx";
import { TopBar } from "../components/TopBar.tsx";
import { Discover } from "../state/discover.ts";
import { browserAddress } from "./address.ts";
import { DiscoverContext, useDiscover } from "./discover-context.ts";
import { useTheme } from "./theme.ts";

export function App() {
  const [discover] = useState(() => new Discover(createApi(), browserAddress));
  useEffect(() => {
    discover.start();
    return () => discover.stop();
  }, [discover]);
  return (
    <DiscoverContext value={discover}>
      <AssistantProvider memory="tab">
        <DiscoverAssistant />
        <Page />
        <Tray />
      </AssistantProvider>
    </DiscoverContext>
  );
}

function Tray() {
  const { info } = useDiscover().snapshot;
  const [theme] = useTheme();
  return (
    <AssistantTray
      pageName="Discover"
      theme={theme}
      suggestions={info?.samples.slice(0, 4)}
      defaultOpen
      launcher={false}
      placeholder="Ask about this log…"
    />
  );
}

function Page() {
  return (
    <div className="page">
      <TopBar />
      <main className="main">
        <section className="panel query-panel" aria-label="Query">
          <QueryBar />
          <FilterBar />
        </section>
        <HistogramPanel />
        <div className="results-area">
          <Results />
          <DetailFlyout />
        </div>
      </main>
      <ChangeToast />
    </div>
  );
}
