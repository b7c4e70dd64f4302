import type { Message, ThreadSnapshot } from "@pageside/core";
import { assistant, user } from "./fakeClient.js";

/** A payload card; `details` are what `metadata.pageside` says. */
export function card(id: string, activityType: string, content: object, details: object = {}): Message {
  const pageside = { source: "llm", status: "open", ...details };
  return { id, role: "activity", activityType, content: content as Record<string, unknown>, metadata: { pageside } };
}

const asked = user("Show me only the errors of the last hour");
const suggestion = {
  query: "source=access_log | where status >= 500 and timestamp > '2015-05-17 10:00:00' | stats count() by request",
  why: "Counts server errors since 10:00 for each page.",
};
const proposal = {
  title: "Alert on server errors",
  threshold: 25,
  window_minutes: 5,
  enabled: true,
  channels: ["ops@example.com", "#incidents"],
  owner: { team: "Platform", on_call: "a.person@example.com", since: null },
};
const note: Message = {
  id: "note",
  role: "activity",
  activityType: "pageside_note",
  content: { kind: "page", text: "The user is on another page now" },
};

export const cardStates: Record<string, Partial<ThreadSnapshot>> = {
  cardsReadOnly: {
    messages: [
      asked,
      assistant("This is what I would alert on; this page cannot apply it:"),
      card("card1", "alert_proposal", proposal, { readOnly: true }),
      card(
        "card2",
        "pageside_block",
        { name: "SCHEMA_PROPOSAL", data: { stream: "Errors", fields: [{ key: "status", type: "number" }] } },
        { readOnly: true },
      ),
    ],
  },
  cards: {
    messages: [
      asked,
      assistant("This query shows them:"),
      card("card1", "query_suggestion", suggestion),
      assistant("And I can set up an alert, of a type this page does not know:"),
      card("card2", "alert_proposal", proposal),
      note,
    ],
  },
  "cards-settled": {
    messages: [
      asked,
      assistant("Here are three ways:"),
      card("card1", "query_suggestion", suggestion, { status: "accepted" }),
      card("card2", "query_suggestion", suggestion, { status: "dismissed" }),
      card("card3", "unknown_type", proposal, { status: "accepted" }),
      card(
        "card4",
        "alert_proposal",
        { error: { code: "invalid", message: '$.threshold: "many" is not a number' } },
        { status: "failed" },
      ),
    ],
  },
  "card-growing": {
    messages: [
      asked,
      assistant("This query shows them:"),
      card("card1", "query_suggestion", { query: "source=access_log | where sta" }, { streaming: true }),
    ],
    status: "streaming",
  },
  "card-begun": {
    messages: [asked, assistant("This:"), card("card1", "query_suggestion", {}, { streaming: true })],
    status: "streaming",
  },
  charts: {
    messages: [
      asked,
      card("chart1", "chart", {
        type: "bar",
        title: "Pages with the most 404s",
        unit: "hits",
        data: [
          { label: "/wp-login.php", value: 612 },
          { label: "/favicon.ico", value: 301 },
          { label: "/images/googledotcom-long-name-that-does-not-fit.png", value: 88 },
        ],
      }),
      card("chart2", "chart", {
        type: "line",
        title: "Errors per minute",
        data: [4, 6, 5, 9, 28, 31, 12, 8, 6, 5, 7].map((value, index) => ({
          label: `10:${String(index * 5).padStart(2, "0")}`,
          value,
        })),
      }),
      card("chart3", "chart", {
        type: "pie", // as a model may call it
        title: "By status",
        data: [
          { label: "200 OK", value: 8712 },
          { label: "304 Not modified", value: 445 },
          { label: "404 Not found", value: 213 },
          { label: "500 Server error", value: 30 },
        ],
      }),
    ],
  },
  changes: {
    messages: [
      asked,
      assistant("I would change the alert:"),
      card("change1", "alert_changes", {
        before: { title: "Alert on errors", threshold: 50, channels: ["ops@example.com"], enabled: true, note: "old" },
        after: {
          title: "Alert on server errors",
          threshold: 25,
          channels: ["ops@example.com", "#incidents"],
          enabled: true,
          window_minutes: 5,
        },
      }),
    ],
  },
};
