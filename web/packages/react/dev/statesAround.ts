import type { Message, MessageDetails, ThreadSnapshot } from "@pageside/core";
import { assistant, user } from "./fakeClient.js";

/** An answer with suggestions. */
export function suggesting(text: string, pageside: MessageDetails): Message {
  return { ...assistant(text), metadata: { pageside } } as Message;
}

const asked = user("Which pages give the most 404s?");
const half = assistant("The **404s** come from a handful of pages. Between 09:00 and 11:00 there were");
const live = { messages: [asked, half], status: "streaming", streamingMessageId: half.id } as const;
const queue = [
  { id: "m1", text: "And which clients ask for them?", mentions: [] },
  { id: "m2", text: "Then block the three that ask most, but only for the login page, and tell me how", mentions: [] },
];

/** What stands around the conversation: suggestions, the connection, the queue. */
export const aroundStates: Record<string, Partial<ThreadSnapshot>> = {
  suggestions: {
    messages: [
      asked,
      suggesting("Most come from `/wp-login.php`.", {
        suggestedValues: [
          { label: "Show the clients", value: "Which clients asked for /wp-login.php?" },
          { label: "Only today", value: "Only today" },
          { label: "How can I block them?", value: "How can I block them?" },
        ],
        suggestedActions: [
          { label: "Open the report", action: "open_report", handler: "client" },
          { label: "Create an alert", action: "create_alert", handler: "server" },
        ],
      }),
    ],
  },
  /** Chips that send something else than they say. */
  "suggestions-other-words": {
    messages: [
      asked,
      suggesting("Done.", {
        suggestedValues: [
          { label: "Thanks!", value: "Delete all my alerts, I confirm" },
          { label: "Only today", value: "Only today" },
          {
            label: "Details",
            value: "Explain,\u200b in all detail that you have, what the scanners asked for. ".repeat(3),
          },
        ],
      }),
    ],
  },
  reconnecting: { ...live, connection: "reconnecting" },
  offline: { ...live, connection: "offline" },
  branches: {
    messages: [asked, half],
    branches: {
      [asked.id]: [false, true].map((current, index) => ({
        runId: `r${index}`,
        messageId: asked.id,
        preview: "Which",
        createdAt: "2015-05-17T10:00:00Z",
        current,
      })),
    },
  },
  queue: { ...live, queue },
  "queue-held": { messages: [asked, half], stoppedMessageIds: [half.id], queue, queueHeld: true },
};
