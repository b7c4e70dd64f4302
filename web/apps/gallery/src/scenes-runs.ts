/** Whole runs: the events that a server would send, through the real client. */
import {
  approval,
  askUser,
  backendCall,
  fail,
  frontendCall,
  payload,
  pause as wait,
  reasoning,
  suggestions,
  text,
  title,
  together,
  type Rule,
} from "@pageside/testing";
import { found, openPanel } from "../../../packages/react/dev/panels.js";
import { button, one, pause, send } from "./act.js";

/** A conversation with a scripted assistant. */
export interface RunScene {
  reply: Rule["reply"];
  /** What is done after the question was sent. */
  then?: () => Promise<unknown>;
}

const LONG = 600_000;
const query = "source=access_log | where status = 404 | stats count() as hits by request | sort - hits";

/** The conversations, by the name of the scene. */
export const runScenes: Record<string, RunScene> = {
  "tools-done": {
    reply: [
      title("Pages with the most 404s"),
      reasoning("The user wants a count by page."),
      text("I look at the fields, then count."),
      together(
        backendCall("describe_fields", { index: "access_log" }, { result: { fields: ["status", "request"] } }),
        backendCall("execute_ppl_query", { query }, { result: { rows: [{ request: "/wp-login.php", hits: 612 }] } }),
      ),
      text(`Most are for \`/wp-login.php\`, **612** of them.\n\n\`\`\`ppl\n${query}\n\`\`\`\n`),
      suggestions(
        ["Show the clients", "Only today"],
        [{ label: "Open the report", action: "open_report", handler: "client" }],
      ),
    ],
  },
  "tool-running": {
    reply: [
      text("I count them."),
      backendCall(
        "execute_ppl_query",
        { query },
        { progress: [{ stage: "scan", message: "Reading 1.2 of 3.4 million rows", progress: 0.35 }], takes: LONG },
      ),
    ],
    then: () => found(() => document.querySelector(".ps-root [role=progressbar]"), "the progress"),
  },
  "tool-failed": {
    reply: [
      text("I try."),
      backendCall(
        "export_csv",
        { path: "/reports/404.csv" },
        { error: { code: "disk_full", message: "The disk is full (ENOSPC)" } },
      ),
      text("The export failed: the disk is full."),
    ],
  },
  "page-tool": {
    reply: [
      text("I set it."),
      frontendCall("set_time_range", { from: "09:00", to: "11:00" }),
      text("Done: 09:00 to 11:00."),
    ],
  },
  "page-tool-asks": {
    reply: [text("I clear the filters."), frontendCall("clear_filters", { keep: ["status"] }), text("Cleared.")],
    then: () => pause(300),
  },
  "approval-open": {
    reply: [
      text("I would delete it."),
      approval("delete_index", { index: "logs-2015", force: true }, { result: "deleted" }),
      text("It is gone."),
    ],
  },
  "allowed-tools": {
    reply: [
      text("I clear the filters, then I start the shipper again."),
      frontendCall("clear_filters", { keep: ["status"] }),
      approval("restart_shipper", { host: "web-3" }, { result: "restarted" }),
      text("Both are done."),
    ],
    then: async () => {
      (await button("Allow always")).click();
      (await button("Always in this tab")).click();
      await found(
        () => document.querySelector("[role=group] .ps-interrupt-form")?.textContent.includes("web-3"),
        "the approval",
      );
      (await button("Approve")).click();
      await found(() => (document.body.textContent.includes("Both are done.") ? true : undefined), "the answer");
      await openPanel("sees");
      (await one("[aria-label='Runs without asking']")).scrollIntoView({ block: "center" });
    },
  },
  "approval-denied": {
    reply: [text("I would delete it."), approval("delete_index", { index: "logs-2015" }), text("Then it stays.")],
    then: async () => {
      (await button("Deny")).click();
      await found(() => (document.body.textContent.includes("Then it stays.") ? true : undefined), "the answer");
    },
  },
  "question-open": {
    reply: [
      text("One question first."),
      askUser("What should happen to logs-2015?", { options: ["Delete it", "Move it", "Leave it alone"] }),
      text("Good."),
    ],
  },
  "card-growing": {
    reply: [
      text("This query shows them:"),
      payload(
        "query_suggestion",
        { query, why: "Counts the missing pages." },
        { grow: [{ query: query.slice(0, 40) }] },
      ),
    ],
  },
  "card-accepted": {
    reply: [text("This query shows them:"), payload("query_suggestion", { query, why: "Counts the missing pages." })],
    then: async () => {
      (await button("Apply query")).click();
      await found(() => (document.body.textContent.includes("Query applied") ? true : undefined), "the accepted card");
    },
  },
  sources: {
    reply: [
      payload("pageside_sources", {
        sources: [
          {
            number: 1,
            title: "Status codes",
            url: "https://example.com/codes",
            snippet: "404 means that there is no such page.",
          },
          {
            number: 2,
            title: "Row 17: /wp-login.php, a title that is longer than one line of the tray",
            url: "#row-17",
          },
        ],
      }),
      text("Most are for `/wp-login.php` [2], which this site does not have [1]."),
    ],
    then: async () => {
      (await one(".ps-sources > button")).click();
      await one(".ps-sources li + li a");
      (await one(".ps-cite")).focus();
      await one(".ps-cite-tip");
    },
  },
  "failed-midway": { reply: [text("The 404s come from "), fail("The model is overloaded.", "llm_unavailable")] },
  "streaming-stopped": {
    reply: [text("The **404s** come from a handful of pages."), wait(LONG)],
    then: async () => {
      await found(() => (document.body.textContent.includes("handful") ? true : undefined), "the text");
      (await button("Stop")).click();
      await one(".ps-root [aria-label='Send message']");
    },
  },
};

/** Asks, and waits until the run has reached the scene's state. */
export async function playRun({ then }: RunScene): Promise<void> {
  await send("Which pages give the most 404s?");
  await pause(250);
  await then?.();
}
