// An AG-UI agent written with AG-UI's own packages, as its example servers are: one address for
// each thing that an agent does. test/stockagent is the same in Go. It prints its address, and ends
// when its input does.
import { createServer } from "node:http";
import { EventType } from "@ag-ui/core";
import { EventEncoder } from "@ag-ui/encoder";

/** What the agents do, by their addresses: generators of events, for an input. */
const agents = {
  "/agentic_chat": chat,
  "/agentic_generative_ui": plan,
  "/tool_based_generative_ui": paint,
  "/human_in_the_loop": book,
  "/thinking": think,
  "/snapshot": snapshot,
  "/fails": fail,
  "/dies": die,
};

const server = createServer(async (request, response) => {
  const agent = agents[request.url];
  if (request.method !== "POST" || !agent) return void response.writeHead(404).end();
  let body = "";
  for await (const chunk of request.setEncoding("utf8")) body += chunk;
  const input = JSON.parse(body);
  const encoder = new EventEncoder({ accept: request.headers.accept });
  response.writeHead(200, { "Content-Type": encoder.getContentType() });
  const { threadId, runId } = input;
  response.write(encoder.encodeBinary({ type: EventType.RUN_STARTED, threadId, runId }));
  for (const event of agent(input, (name) => `${name}-${runId}`)) {
    if (event === "die") return void request.socket.destroySoon();
    response.write(encoder.encodeBinary(event.type === EventType.RUN_FINISHED ? { threadId, runId, ...event } : event));
  }
  response.end();
});
server.listen(0, "127.0.0.1", () => process.stdout.write(`http://127.0.0.1:${server.address().port}\n`));
process.stdin.resume().on("end", () => process.exit());

const finished = { type: EventType.RUN_FINISHED };

function* say(messageId, ...words) {
  yield { type: EventType.TEXT_MESSAGE_START, messageId, role: "assistant" };
  for (const delta of words) yield { type: EventType.TEXT_MESSAGE_CONTENT, messageId, delta };
  yield { type: EventType.TEXT_MESSAGE_END, messageId };
}

function* chat({ messages, context }, id) {
  const asked = messages.filter(({ role }) => role === "user").length;
  yield* say(id("answer"), "You have said ", `${asked} things`, `, and I see ${context.length} things.`);
  yield finished;
}

function* plan(_, id) {
  const toolCallId = id("call");
  yield { type: EventType.STATE_SNAPSHOT, snapshot: { steps: [{ description: "Look", status: "pending" }] } };
  yield { type: EventType.STEP_STARTED, stepName: "look" };
  yield { type: EventType.TOOL_CALL_START, toolCallId, toolCallName: "look_up" };
  yield { type: EventType.TOOL_CALL_ARGS, toolCallId, delta: '{"q":' };
  yield { type: EventType.TOOL_CALL_ARGS, toolCallId, delta: "1}" };
  yield { type: EventType.TOOL_CALL_END, toolCallId };
  yield { type: EventType.TOOL_CALL_RESULT, messageId: id("result"), toolCallId, content: '{"found":3}' };
  yield { type: EventType.STATE_DELTA, delta: [{ op: "replace", path: "/steps/0/status", value: "completed" }] };
  yield { type: EventType.STEP_FINISHED, stepName: "look" };
  yield { type: EventType.ACTIVITY_SNAPSHOT, messageId: id("plan"), activityType: "PLAN", content: { steps: 1 } };
  yield { type: EventType.CUSTOM, name: "mine", value: { a: 1 } };
  yield* say(id("answer"), "Found three.");
  yield finished;
}

function* paint({ messages, tools }, id) {
  const last = messages.at(-1);
  const toolCallId = id("paint");
  if (last.role === "tool") yield* say(id("answer"), `The page says ${last.content}.`);
  else {
    yield { type: EventType.TOOL_CALL_START, toolCallId, toolCallName: tools[0].name };
    yield { type: EventType.TOOL_CALL_ARGS, toolCallId, delta: '{"colour":"red"}' };
    yield { type: EventType.TOOL_CALL_END, toolCallId };
  }
  yield finished;
}

function* book({ resume = [] }, id) {
  if (resume.length > 0) {
    yield* say(id("answer"), `${resume[0].status} ${JSON.stringify(resume[0].payload)}`);
    yield finished;
    return;
  }
  const responseSchema = { type: "object", properties: { seat: { type: "integer" } }, required: ["seat"] };
  const asked = { id: id("seat"), reason: "graph:seat", message: "Which seat?", metadata: { node: "book" } };
  yield { ...finished, outcome: { type: "interrupt", interrupts: [{ ...asked, responseSchema }] } };
}

function* think(_, id) {
  const messageId = id("thought");
  yield { type: EventType.REASONING_START, messageId };
  yield { type: EventType.REASONING_MESSAGE_START, messageId, role: "reasoning" };
  yield { type: EventType.REASONING_MESSAGE_CONTENT, messageId, delta: "Hm." };
  yield { type: EventType.REASONING_MESSAGE_END, messageId };
  yield { type: EventType.REASONING_END, messageId };
  yield* say(id("answer"), "Yes.");
  yield finished;
}

function* snapshot({ messages }, id) {
  const told = messages.filter(({ role }) => role !== "system");
  const answer = { id: id("answer"), role: "assistant", content: "All of it." };
  yield { type: EventType.MESSAGES_SNAPSHOT, messages: [...told, answer] };
  yield finished;
}

function* fail(_, id) {
  yield* [...say(id("answer"), "I begin.")].slice(0, 2);
  yield { type: EventType.RUN_ERROR, message: "the graph broke", code: "E7" };
}

function* die(_, id) {
  yield* [...say(id("answer"), "I begin.")].slice(0, 2);
  yield "die";
}
