// A program without a page: node ask.mjs ADDRESS
import { createPagesideClient } from "@pageside/core";

const client = createPagesideClient({ url: process.argv[2] });
client.registerContext({ id: "orders", kind: "dynamic", description: "Orders on screen", value: () => 6 });
client.registerTool({
  name: "filter_orders",
  description: "Shows only the orders of one status.",
  effect: "read",
  parameters: { type: "object", properties: { status: { type: "string" } }, required: ["status"] },
  handler: () => ({ shown: 3 }),
});
await client.send("Which are open?");
const { messages, error } = client.getSnapshot();
process.stdout.write(`${error?.message ?? messages.at(-1)?.content}\n`);
client.destroy();
