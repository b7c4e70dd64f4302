import { commandsOf, type PagesideClient } from "@pageside/core";

/** What a page registers, for what the message box offers. */
export function furnish(client: PagesideClient): void {
  client.registerPlace({ page: "discover" });
  client.registerContext({
    id: "page",
    kind: "page",
    description: "The page: query and time range",
    value: { query: "status = 404" },
  });
  client.registerContext({
    id: "rows",
    kind: "dynamic",
    description: "The rows that are selected in the table",
    label: "@selected-rows",
    auto: false,
    source: "Table",
    value: [{ id: 17, request: "/wp-login.php", status: 404 }],
  });
  client.registerContext({ id: "chart", kind: "dynamic", description: "The chart above the table", label: "@chart", source: "Charts", value: { bars: 12 } }); // prettier-ignore
  client.registerTool({ name: "set_time_range", description: "Sets the time range of the page", handler: () => "ok" });
  client.registerTool({ name: "clear_filters", description: "Clears the filters", requiresConfirmation: "Clear the filters of the page?", handler: () => "ok" }); // prettier-ignore
  const commands = commandsOf(client);
  commands.register({ command: "/analyze", description: "Analyze the current data", prompt: "Analyze the data" });
  commands.register({
    command: "/explain",
    description: "Explain a field of the table, in words and with an example",
    argumentHint: "<field>",
    prompt: (field) => `Explain the field ${field}`,
  });
  commands.register({
    command: "/refresh",
    description: "Load the table again",
    group: "Table",
    handler: () => undefined,
  });
}
