"use client";
import { AssistantProvider, useAssistantAction, useDynamicContext, usePageContext } from "@pageside/react";
import { BarChart } from "@pageside/react/charts";
import { Markdown } from "@pageside/react/markdown";
import { AssistantTray } from "@pageside/react/tray";
import { useDynamicContext as useAdoptedContext } from "@pageside/context-provider";
import "@pageside/react/tray.css";
import { useEffect, useState } from "react";
import { entries } from "./entries.js";

const all = ["open", "paid", "open", "sent", "paid", "open"].map((status, i) => ({ id: i + 1, status }));

/** What the assistant sees and changes. */
function Orders() {
  const [status, setStatus] = useState("");
  const orders = all.filter((order) => !status || order.status === status);
  usePageContext({ page: "orders" });
  useDynamicContext({ description: "Orders on screen", value: orders });
  useAssistantAction({
    name: "filter_orders",
    description: "Shows only the orders of one status.",
    effect: "read",
    parameters: /** @type {const} */ ({
      type: "object",
      properties: { status: { type: "string", enum: ["open", "paid", "sent"] } },
      required: ["status"],
    }),
    handler: ({ status }) => {
      setStatus(status);
      return { shown: all.filter((order) => order.status === status).length };
    },
  });
  return (
    <ul>
      {orders.map(({ id, status }) => (
        <li key={id}>
          {id}: {status}
        </li>
      ))}
    </ul>
  );
}

/** Code written to `@osd/context-provider`, and what the other entries answer. */
function Entries() {
  const [answers, setAnswers] = useState("");
  useAdoptedContext({ description: "What the entries answer", value: answers });
  useEffect(() => void entries().then((all) => setAnswers(JSON.stringify(all))), []);
  return <output>{answers}</output>;
}

/** The parts of answers, on a page of one's own. */
function Parts() {
  return (
    <>
      <Markdown source="These are **drawn** by the page." />
      <BarChart title="All orders" data={[{ label: "in the shop", value: all.length }]} />
    </>
  );
}

export default function App() {
  return (
    <AssistantProvider>
      <Orders />
      <Entries />
      <Parts />
      <AssistantTray title="Orders assistant" defaultOpen />
    </AssistantProvider>
  );
}
