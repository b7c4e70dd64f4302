// A chat box of its own on @pageside/core: no framework, no build. The page gives the assistant a
// tool and tells it what is on screen.
import { createPagesideClient } from "/pageside-core.js";

const client = createPagesideClient({ memory: "tab" });
const log = document.querySelector("#log");
const light = document.querySelector("#light");
const status = document.querySelector("#status");
const form = document.querySelector("form");

client.registerContext({ id: "light", kind: "dynamic", description: "The light", value: () => light.textContent });
client.registerTool({
  name: "switch_light",
  description: "Switches the light in the room",
  effect: "read", // changes nothing but what the page shows
  parameters: { type: "object", properties: { on: { type: "boolean" } }, required: ["on"] },
  handler: ({ on }) => {
    light.textContent = on ? "on" : "off";
    return { light: light.textContent };
  },
});

const says = {
  idle: "",
  submitted: "The assistant is thinking…",
  streaming: "The assistant is writing…",
  executing: "The page is doing it…",
};

/** Lines are kept as they are and only their text changes, so that a screen reader hears each once. */
const lines = new Map();
function line(id, kind, text) {
  let element = lines.get(id);
  if (!element) lines.set(id, (element = log.appendChild(document.createElement("p"))));
  element.className = kind;
  if (element.textContent !== text) element.textContent = text; // text, never HTML: a model wrote it
}

client.subscribe(() => {
  const { messages, toolCalls, status: now, error } = client.getSnapshot();
  for (const { id, role, content, toolCalls: calls = [] } of messages) {
    if ((role === "user" || role === "assistant") && content) line(id, role, content);
    for (const call of calls) line(call.id, "tool", `${call.function.name}: ${toolCalls[call.id]?.status}`);
  }
  status.textContent = error ? error.message : says[now];
  form.querySelector("button").textContent = now === "idle" || now === "error" ? "Send" : "Stop";
});

form.addEventListener("submit", (event) => {
  event.preventDefault();
  const { status: now } = client.getSnapshot();
  if (now !== "idle" && now !== "error") return void client.stop();
  void client.send(form.elements.text.value);
  form.reset();
});
