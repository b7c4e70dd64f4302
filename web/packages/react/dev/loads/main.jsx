// A small application, made of the packages as they are published.
import { AssistantProvider, useAssistantAction, useDynamicContext, usePageContext } from "@pageside/react";
import { AssistantTray } from "@pageside/react/tray";
import { createRoot } from "react-dom/client";

const export_orders = {
  name: "export_orders",
  description: "Exports the orders on screen",
  parameters: { type: "object", properties: {} },
  handler: () => "exported",
};

function Orders() {
  usePageContext();
  useDynamicContext({ description: "The orders on screen", value: [{ id: 1, state: "late" }] });
  useAssistantAction(export_orders);
  return <h1>Orders</h1>;
}

createRoot(document.getElementById("root")).render(
  <AssistantProvider url="https://assistant.example">
    <Orders />
    <AssistantTray pageName="Orders" />
  </AssistantProvider>,
);
