// The SDK of A2A, as npm has it, against the real binary: as a client of our agents, and as an
// agent elsewhere that is a tool of ours.

import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";

import {
  AgentCard,
  SendMessageRequest,
  StreamResponse,
  Task,
  TaskArtifactUpdateEvent,
  TaskStatusUpdateEvent,
  formatSSEEvent,
} from "@a2a-js/sdk";
import { ClientFactory } from "@a2a-js/sdk/client";
import {
  AgentEvent,
  DefaultRequestHandler,
  InMemoryTaskStore,
  JsonRpcTransportHandler,
  ServerCallContext,
  UnauthenticatedUser,
} from "@a2a-js/sdk/server";
import { listen } from "../../scripts/listen.mjs";
import { pageside, startProgram } from "../../scripts/program.mjs";

const script = `
name: test
rules:
  - match: '^hello'
    steps: [{ text: 'Hello to you.' }]
  - match: '^slow'
    steps: [{ text: 'one two three four five six', delay: 60ms }]
  - match: '^for ever'
    steps: [{ text: 'one two three four five six', delay: 10m, chunk: 3 }]
  - match: '^book'
    steps:
      - calls: [{ tool: travel, args: { message: To Rome, data: { people: 2 } } }]
      - text: 'The agent says: {{ index .Results 0 }}'
`;

/** Whatever the binary or the SDK complains of. */
const complaints = [];
for (const level of ["error", "warn"]) {
  console[level] = (...args) => complaints.push(args.join(" "));
}

const notifications = [];
const heard = []; // what the agent elsewhere was sent
const travels = new Map(); // its tasks
let folder, server, receiver, elsewhere, cancelled;

async function bodyOf(request) {
  let body = "";
  for await (const chunk of request) body += chunk;
  return JSON.parse(body);
}

/** An agent made with the SDK's server part: it asks for the day, and then books. */
async function agentElsewhere() {
  const card = AgentCard.fromJSON({
    name: "travel",
    description: "Books trips.",
    version: "1",
    supportedInterfaces: [{ url: "http://127.0.0.1/", protocolBinding: "JSONRPC", protocolVersion: "1.0" }],
    capabilities: { streaming: true },
    defaultInputModes: ["text/plain"],
    defaultOutputModes: ["text/plain"],
    skills: [],
  });
  const executor = {
    async execute({ taskId, contextId, task, userMessage }, bus) {
      const status = (state, text) => ({
        state,
        ...(text && {
          message: { messageId: `${taskId}-${state}`, taskId, contextId, role: "ROLE_AGENT", parts: [{ text }] },
        }),
      });
      const say = (state, text) =>
        bus.publish(
          AgentEvent.statusUpdate(TaskStatusUpdateEvent.fromJSON({ taskId, contextId, status: status(state, text) })),
        );
      travels.set(taskId, contextId);
      const texts = userMessage.parts.map((p) => p.content.value);
      heard.push(texts);
      bus.publish(
        AgentEvent.task(task ?? Task.fromJSON({ id: taskId, contextId, status: status("TASK_STATE_WORKING") })),
      );
      if (texts[0] === "To Rome") {
        say("TASK_STATE_INPUT_REQUIRED", "Which day?");
      } else {
        say("TASK_STATE_WORKING", "Looking for trains");
        const parts = [{ text: `Booked for ${texts[0]}` }, { data: { seats: [1, 2] } }];
        bus.publish(
          AgentEvent.artifactUpdate(
            TaskArtifactUpdateEvent.fromJSON({ taskId, contextId, artifact: { artifactId: "a", parts } }),
          ),
        );
        say("TASK_STATE_COMPLETED");
      }
      bus.finished();
    },
    async cancelTask(taskId, bus) {
      cancelled = taskId;
      const contextId = travels.get(taskId);
      const status = { state: "TASK_STATE_CANCELED" };
      bus.publish(AgentEvent.statusUpdate(TaskStatusUpdateEvent.fromJSON({ taskId, contextId, status })));
      bus.finished();
    },
  };
  const transport = new JsonRpcTransportHandler(new DefaultRequestHandler(card, new InMemoryTaskStore(), executor));
  return listen(async (request, response) => {
    const context = new ServerCallContext({
      user: new UnauthenticatedUser(),
      requestedVersion: request.headers["a2a-version"],
    });
    const answer = await transport.handle(await bodyOf(request), context);
    if (typeof answer[Symbol.asyncIterator] !== "function") {
      response.setHeader("Content-Type", "application/json");
      response.end(JSON.stringify(answer));
      return;
    }
    response.setHeader("Content-Type", "text/event-stream");
    for await (const event of answer) response.write(formatSSEEvent(event));
    response.end();
  });
}

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "a2a-"));
  receiver = await listen(async (request, response) => {
    notifications.push({ headers: request.headers, event: StreamResponse.fromJSON(await bodyOf(request)) });
    response.end();
  });
  elsewhere = await agentElsewhere();
  await writeFile(join(folder, "m.yaml"), script);
  await writeFile(
    join(folder, "pageside.yaml"),
    `
models: { m: { use: script/m.yaml } }
agents: [{ id: default, description: A test., model: m }]
dropIns: [a2a]
pushNotifications: true
egress: { private: [127.0.0.1] }
pushEgress: { private: [127.0.0.1], ports: [${receiver.port}] }
a2a:
  travel: { description: Books trips., url: '${elsewhere.url}/', global: true, effect: read }
`,
  );
  const store = `sqlite:${join(folder, "test.db")}`;
  const args = ["serve", "--config", join(folder, "pageside.yaml"), "--listen", "127.0.0.1:0", "--store", store];
  server = await startProgram(pageside, args);
});

after(async () => {
  for (const each of [server, receiver, elsewhere]) await each?.stop();
  await rm(folder, { recursive: true, force: true });
});

let messages = 0;

/** A request to send a text. The SDK fills in what is left out. */
const request = (text, rest = {}, configuration = undefined) =>
  SendMessageRequest.fromJSON({
    message: { messageId: `m${++messages}`, role: "ROLE_USER", parts: [{ text }], ...rest },
    ...(configuration && { configuration }),
  });

const json = (task) => Task.toJSON(task);
const textsOf = (task) => (json(task).artifacts ?? []).map((a) => a.parts.map((p) => p.text ?? "").join(""));
const stateOf = (task) => json(task).status.state;
const connect = () => new ClientFactory().createFromUrl(server.url);

/** Reads a stream, and returns its events as JSON. */
async function read(stream, each = () => {}) {
  const all = [];
  for await (const event of stream) {
    const plain = StreamResponse.toJSON(event);
    all.push(plain);
    if ((await each(plain)) === "enough") break;
  }
  return all;
}

async function until(what, holds) {
  for (const end = Date.now() + 60_000; Date.now() < end; await new Promise((done) => setTimeout(done, 20))) {
    const value = await holds();
    if (value) return value;
  }
  assert.fail(`${what} did not happen`);
}

test("the card is read, and a message is a task", async () => {
  const client = await connect();
  const card = await client.getAgentCard();
  assert.equal(card.name, "default");
  assert.equal(card.capabilities.pushNotifications, true);
  const task = await client.sendMessage(request("hello"));
  assert.equal(stateOf(task), "TASK_STATE_COMPLETED");
  assert.deepEqual(textsOf(task), ["Hello to you."]);
  const { status, ...found } = json(await client.getTask({ tenant: "", id: task.id }));
  const { timestamp, ...state } = status; // the store knows when it ended
  assert.ok(Math.abs(Date.now() - Date.parse(timestamp)) < 600_000, timestamp);
  assert.deepEqual({ ...found, status: state }, json(task));
  const of = { tenant: "", contextId: task.contextId, status: 0, pageSize: 10, pageToken: "", includeArtifacts: true };
  const listed = await client.listTasks(of);
  assert.deepEqual(listed.tasks.map(json), [{ ...found, status }]);
});

test("a stream tells the text as it comes, and goes on after a break", async () => {
  const client = await connect();
  let id;
  const begun = await read(client.sendMessageStream(request("slow")), (e) => {
    id ??= e.task?.id;
    return e.artifactUpdate ? "enough" : "";
  });
  assert.equal(begun[0].task.status.state, "TASK_STATE_WORKING");
  const rest = await read(client.resubscribeTask({ tenant: "", id })).catch((error) => {
    assert.match(String(error), /has ended/); // a slow machine
    return [];
  });
  const task = await until("the end of the task", async () => {
    const now = await client.getTask({ tenant: "", id });
    return stateOf(now) === "TASK_STATE_COMPLETED" && now;
  });
  assert.deepEqual(textsOf(task), ["one two three four five six"]);
  if (rest.length) {
    assert.equal(rest.at(-1).statusUpdate.status.state, "TASK_STATE_COMPLETED");
  }
});

test("a task is cancelled", async () => {
  const client = await connect();
  const events = await read(client.sendMessageStream(request("for ever")), async (e) => {
    if (e.artifactUpdate) await client.cancelTask({ tenant: "", id: e.artifactUpdate.taskId, metadata: undefined });
  });
  assert.equal(events.at(-1).statusUpdate.status.state, "TASK_STATE_CANCELED");
});

test("a server of the client's is told of a task", async () => {
  const client = await connect();
  const url = `${receiver.url}/hook`;
  const hook = { url, token: "the token", authentication: { scheme: "Bearer", credentials: "the credentials" } };
  const task = await client.sendMessage(
    request("slow", {}, { returnImmediately: true, taskPushNotificationConfig: hook }),
  );
  const { configs } = await client.listTaskPushNotificationConfig({
    tenant: "",
    taskId: task.id,
    pageSize: 0,
    pageToken: "",
  });
  assert.equal(configs.length, 1);
  assert.equal(configs[0].url, url);
  assert.equal(configs[0].authentication.credentials, "");
  const told = await until("the notification", () => notifications.at(0));
  assert.equal(told.headers["x-a2a-notification-token"], "the token");
  assert.equal(told.headers.authorization, "Bearer the credentials");
  const end = StreamResponse.toJSON(told.event).task;
  assert.equal(end.id, task.id);
  assert.equal(end.status.state, "TASK_STATE_COMPLETED");
  await client.deleteTaskPushNotificationConfig({ tenant: "", taskId: task.id, id: configs[0].id });
  const left = await client.listTaskPushNotificationConfig({ tenant: "", taskId: task.id, pageSize: 0, pageToken: "" });
  assert.deepEqual(left.configs, []);
});

test("an agent elsewhere is a tool: what it asks is asked here, and the answer goes on with its task", async () => {
  const client = await connect();
  const task = await client.sendMessage(request("book a trip"));
  assert.equal(stateOf(task), "TASK_STATE_INPUT_REQUIRED");
  assert.equal(json(task).status.message.parts[0].text, "The agent travel asks: Which day?");
  assert.deepEqual(heard, [["To Rome", { people: 2 }]]);
  const done = await client.sendMessage(request("Monday", { taskId: task.id, contextId: task.contextId }));
  assert.equal(stateOf(done), "TASK_STATE_COMPLETED");
  assert.deepEqual(textsOf(done), ['The agent says: Booked for Monday\n\n{"seats":[1,2]}']);
  assert.deepEqual(heard.at(-1), ["Monday"]);
  assert.equal(cancelled, undefined);
});

test("a task that waits is cancelled, and with it the one that an agent elsewhere has asked in", async () => {
  const client = await connect();
  const task = await client.sendMessage(request("book a trip"));
  assert.equal(stateOf(task), "TASK_STATE_INPUT_REQUIRED");
  const ended = await client.cancelTask({ tenant: "", id: task.id, metadata: undefined });
  assert.equal(stateOf(ended), "TASK_STATE_CANCELED");
  assert.deepEqual(textsOf(ended), []);
  assert.equal(stateOf(await client.getTask({ tenant: "", id: task.id })), "TASK_STATE_CANCELED");
  assert.equal(cancelled, [...travels.keys()].at(-1));
  const next = await client.sendMessage(request("hello", { contextId: task.contextId }));
  assert.equal(stateOf(next), "TASK_STATE_COMPLETED");
});

test("nobody complained", () => {
  assert.deepEqual(complaints, []);
  assert.doesNotMatch(server.log(), /level=(WARN|ERROR)/);
});
