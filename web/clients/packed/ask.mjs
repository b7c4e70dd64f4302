// A program without a page: node ask.mjs ADDRESS
import { createPagesideClient } from "@pageside/core";

const client = createPagesideClient({ url: process.argv[2] });
client.registerContext({
  id: "orders",
  kind: "dynamic",
  description: "Orders on screen",
  value: () => [1, 2, 3, 4, 5, 6],
});
client.registerTool({
  name: "filter_orders",
  description: "Shows only the orders of one status.",
  effect: "read",
  parameters: { type: "object", properties: { status: { type: "string" } }, required: ["status"] },
  handler: () => ({ shown: 3 }),
});
for (const question of ["How many are there?", "Which are open?"]) {
  await client.send(question);
  const { messages, error } = client.getSnapshot();
  process.stdout.write(`${error?.message ?? messages.at(-1)?.content}\n`);
}
client.destroy();
