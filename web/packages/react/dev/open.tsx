// A tray with one long thread in its history; driven by open.mjs, stream.mjs and the tests in
// ../test/browser.
// ?messages=1000&history=0: how many of them come at first, 0 for all
import "@pageside/react/tray.css";
import { createPagesideClient } from "@pageside/core";
import { AssistantProvider } from "@pageside/react";
import { AssistantTray } from "@pageside/react/tray";
import { scriptedAgent, text } from "@pageside/testing";
import { createRoot } from "react-dom/client";
import { longThread } from "./longThread.js";

const query = new URLSearchParams(location.search);
const messages = longThread(Number(query.get("messages") ?? 1000));
const reply = text(Array.from({ length: 150 }, (_, n) => `word ${n}${n % 30 === 29 ? ".\n\n" : ""}`).join(" "));
const agent = scriptedAgent([{ reply }], {
  threads: [{ id: "long", title: "A long conversation", messages }],
  pace: 40,
});
const client = createPagesideClient({ fetch: agent.fetch, history: Number(query.get("history") ?? 0) });
const newest = messages.at(-1)!.id.slice(1);

interface Opened {
  /** Milliseconds from the click to the newest turn painted, with the transcript at its end. */
  shown: number;
  /** Milliseconds in long tasks until then, and the longest one of all. */
  blocked: number;
  longest: number;
}

/** Counts from the next click. */
function opened(): Promise<Opened> {
  const tasks: { startTime: number; duration: number }[] = [];
  const observer = new PerformanceObserver((list) => tasks.push(...list.getEntries()));
  observer.observe({ entryTypes: ["longtask"] });
  return new Promise((resolve) => {
    const begin = (event: Event) => {
      const look = () => {
        if (!isShown()) return requestAnimationFrame(() => setTimeout(look));
        const shown = performance.now();
        setTimeout(() => {
          observer.disconnect();
          const own = tasks.filter((task) => task.startTime + task.duration > event.timeStamp);
          resolve({
            shown: shown - event.timeStamp,
            blocked: own.filter((task) => task.startTime < shown).reduce((sum, task) => sum + task.duration, 0),
            longest: Math.max(0, ...own.map((task) => task.duration)),
          });
        }, 100); // for the observer, which is told later
      };
      look();
    };
    addEventListener("click", begin, { capture: true, once: true });
  });
}

function isShown(): boolean {
  const scroller = document.querySelector(".ps-scroller")!;
  if (scroller.scrollHeight - scroller.clientHeight - scroller.scrollTop > 8) return false;
  return lastText().includes(`Answer ${newest}.`);
}

const lastText = () => document.querySelector(".ps-turn[data-last]")?.textContent ?? "";

Object.assign(globalThis, { opened, client, messages });

document.body.style.margin = "0";
createRoot(document.getElementById("root")!).render(
  <AssistantProvider client={client} defaultOpen>
    <AssistantTray />
  </AssistantProvider>,
);
