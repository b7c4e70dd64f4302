import { useEffect, useState } from "react";
import { TopBarSlot, useTray } from "../shell/shell-context.ts";
import { Icon } from "../ui/Icon.tsx";
import { createApi } from "./api.ts";
import { DetailFlyout } from "./DetailFlyout.tsx";
import { Discover, type Address } from "./discover.ts";
import { DiscoverAssistant } from "./DiscoverAssistant.tsx";
import { FilterBar } from "./FilterBar.tsx";
import { HistogramPanel } from "./Histogram.tsx";
import { QueryBar } from "./QueryBar.tsx";
import { Results } from "./Results.tsx";
import type { Info } from "./types.ts";
import { DiscoverContext, useDiscover } from "./use-discover.ts";
import "./discover.css";
import "./results.css";

/** The browser's address bar. */
const browserAddress: Address = {
  read: () => location.search,
  push: (search) => history.pushState(null, "", location.pathname + search),
  replace: (search) => history.replaceState(null, "", location.pathname + search),
  onNavigate(listener) {
    // Ignores another application's parameters.
    const listen = () => location.pathname === "/" && listener();
    addEventListener("popstate", listen);
    return () => removeEventListener("popstate", listen);
  },
};

/** Discover, inside the shell, which has the assistant's provider and tray. */
export default function App() {
  const [discover] = useState(() => new Discover(createApi(), browserAddress));
  useEffect(() => {
    discover.start();
    return () => discover.stop();
  }, [discover]);
  return (
    <DiscoverContext value={discover}>
      <title>Discover · Pageside</title>
      <DiscoverAssistant />
      <Page />
    </DiscoverContext>
  );
}

function Page() {
  const { info } = useDiscover().snapshot;
  useTray({ pageName: "Discover", suggestions: info?.samples.slice(0, 1), placeholder: "Ask about this log…" });
  return (
    <>
      <TopBarSlot>{info && <Source {...info.source} />}</TopBarSlot>
      <main className="main">
        <h1 className="sr-only">Discover</h1>
        <section className="panel" aria-label="Query">
          <QueryBar />
          <FilterBar />
        </section>
        <HistogramPanel />
        <div className="results-area">
          <Results />
          <DetailFlyout />
        </div>
      </main>
    </>
  );
}

function Source({ name, file, label, generated }: Info["source"]) {
  return (
    <div className="source" title={file || label}>
      <Icon name="database" size={15} />
      <span className="source-name">{name}</span>
      <span className={generated ? "badge" : "ellipsis wide-only"}>{generated ? "generated sample" : label}</span>
    </div>
  );
}
