// The client with a scripted agent in the place of the server.
import { createPagesideClient } from "@pageside/core";
import { lastAnswer, scriptedAgent } from "@pageside/testing";

const { fetch } = scriptedAgent([{ when: "open", reply: "3 are open." }]);
const client = createPagesideClient({ url: "http://agent.test", fetch });
await client.send("Which are open?");
process.stdout.write(`${lastAnswer(client.getSnapshot())}\n`);
client.destroy();
