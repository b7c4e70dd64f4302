// Runs in the browser; started by frames.mjs.
import { createRoot, type Root } from "react-dom/client";
import { AssistantProvider } from "../src/provider.js";
import "../src/styles/tray.css";
import { AssistantTray } from "../src/tray/index.js";
import { assistant, fakeClient, user, type FakeClient } from "./fakeClient.js";
import { longTexts } from "./longTexts.js";

const frame = () => new Promise(requestAnimationFrame);
const answerIn = () => [...document.querySelectorAll(".ps-answer-body .ps-md")].at(-1);

let root: Root | undefined;
let client: FakeClient;

/** Draws the tray anew, with the thread that the client has. */
function open(messages: Parameters<FakeClient["show"]>[0]["messages"] = []): void {
  root?.unmount();
  document.body.replaceChildren(document.createElement("main"));
  client = fakeClient({ messages });
  root = createRoot(document.body.firstElementChild!);
  root.render(
    <AssistantProvider client={client} defaultOpen>
      <AssistantTray />
    </AssistantProvider>,
  );
}

/** Waits until nothing more of the answer is drawn. */
async function drawn(): Promise<{ length: number; nodes: number }> {
  const length = () => answerIn()?.textContent?.length ?? 0;
  for (let before = -1, same = 0; same < 30;) {
    await frame();
    const now = length();
    same = now > 0 && now === before ? same + 1 : 0;
    before = now;
  }
  return { length: length(), nodes: answerIn()!.querySelectorAll("*").length };
}

/** Opens the tray, so that only the text is measured. */
async function begin() {
  open([user("Well?"), assistant("Nothing.")]);
  for (let frames = 0; frames < 10; frames++) await frame();
}

/** Streams a text into the tray, a piece with every second frame. */
async function stream(name: string, pieces: number) {
  const text = longTexts[name]!;
  const [asked, answer] = [user("Well?"), assistant("")];
  client.show({ messages: [asked], status: "streaming" });
  await frame();
  for (let piece = 1; piece <= pieces; piece++) {
    const content = text.slice(0, Math.ceil((text.length * piece) / pieces));
    const growing = { ...answer, content } as typeof answer;
    client.show({ messages: [asked, growing], status: "streaming", streamingMessageId: answer.id });
    await frame();
    await frame();
  }
  client.show({
    messages: [asked, { ...answer, content: text } as typeof answer],
    status: "idle",
    streamingMessageId: undefined,
  });
  return drawn();
}

/** Opens a thread that has the text already. */
function reopen(name: string) {
  client.show({ threadId: `of ${name}`, messages: [user("Well?"), assistant(longTexts[name]!)] });
  return drawn();
}

/** Scrolls through all of it. */
async function scroll() {
  const scroller = document.querySelector(".ps-scroller")!;
  for (let step = 0; step <= 40; step++) {
    scroller.scrollTop = (scroller.scrollHeight * step) / 40;
    await frame();
  }
}

/** Formats what is plain, once, where that is offered. */
async function format() {
  const button = () => document.querySelector<HTMLElement>(".ps-md [role=note] button");
  button()?.click();
  for (let still = 0; still < 10;) {
    await frame();
    still = button()?.textContent === "Stop" ? 0 : still + 1;
  }
}

Object.assign(globalThis, { format, begin, stream, reopen, scroll, names: Object.keys(longTexts) });
