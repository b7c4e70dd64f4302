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
import { useTitle, useTray } from "../shell/shell-context.tsx";
import { Discover } from "../state/discover.ts";
import { browserAddress } from "./address.ts";
import { DiscoverContext, useDiscover } from "./discover-context.ts";

/** Discover, inside the shell: the assistant's provider and tray are there already. */
export function App() {
  const [discover] = useState(() => new Discover(createApi(), browserAddress));
  useEffect(() => {
    discover.start();
    return () => discover.stop();
  }, [discover]);
  return (
    <DiscoverContext value={discover}>
      <DiscoverAssistant />
      <TopBar />
      <Page />
    </DiscoverContext>
  );
}

function Page() {
  const { info } = useDiscover().snapshot;
  useTitle("Discover · Pageside");
  useTray({ pageName: "Discover", suggestions: info?.samples.slice(0, 4), placeholder: "Ask about this log…" });
  return (
    <>
      <main className="main">
        <h1 className="sr-only">Discover</h1>
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
    </>
  );
}
