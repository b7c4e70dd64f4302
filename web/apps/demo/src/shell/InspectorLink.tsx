import { useAssistantActions } from "@pageside/react";
import { useEffect, useState } from "react";
import { createCaller } from "./http.ts";
import { Glyph } from "./Glyph.tsx";

const call = createCaller("/v1/inspector");

/**
 * The way to the inspector, at this conversation's newest run. Not there where the server keeps no
 * runs.
 */
export function InspectorLink() {
  const href = useInspectorHref();
  if (!href) return null;
  return (
    <section>
      <h2 className="popover-title">Behind the answers</h2>
      <a className="menu-item" href={href} target="_blank" rel="noopener">
        <Glyph name="external" size={15} />
        <span>
          Inspector
          <span className="model-choice-why">Prompts, tool calls and events of each run</span>
        </span>
      </a>
    </section>
  );
}

function useInspectorHref(): string | undefined {
  const { client } = useAssistantActions();
  const [href, setHref] = useState<string>();
  useEffect(() => {
    const gone = new AbortController();
    call<{ runs: { id: string; threadId: string }[] }>("/runs", { signal: gone.signal }).then(
      ({ runs }) => {
        const { threadId } = client.getSnapshot();
        const newest = runs.find((run) => run.threadId === threadId) ?? runs[0];
        setHref(`/inspector${newest ? `#${encodeURIComponent(newest.id)}` : ""}`);
      },
      () => undefined, // it is switched off
    );
    return () => gone.abort();
  }, [client]);
  return href;
}
