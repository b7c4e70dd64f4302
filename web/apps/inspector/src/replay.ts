/** The run's events, and a replay: what the user saw after each of them. */
import type { RunEvent } from "./api.ts";
import { block, h, number } from "./dom.ts";
import { applyPatch } from "../../../packages/core/src/protocol/patch.ts";
import { plainText } from "./plain.ts";
import { heading } from "./prompt.ts";

interface Shown {
  id: string;
  who: string;
  text: string;
}

/** What is on screen after the first events, oldest first. */
export function shownAfter(events: readonly RunEvent[], count: number): Shown[] {
  const screen = new Screen();
  for (const event of events.slice(0, count)) screen.apply(event);
  return [...screen.shown.values()];
}

/** What the user sees while a run goes on. */
class Screen {
  readonly shown = new Map<string, Shown>();
  readonly #cards = new Map<unknown, { type: string; content: unknown }>();

  apply(event: RunEvent): void {
    const delta = typeof event.delta === "string" ? event.delta : "";
    switch (event.type) {
      case "TEXT_MESSAGE_START":
      case "TEXT_MESSAGE_CONTENT":
        return this.#put(event.messageId, "answer", delta);
      case "REASONING_MESSAGE_START":
      case "REASONING_MESSAGE_CONTENT":
        return this.#put(event.messageId, "thought", delta);
      case "TOOL_CALL_START":
        return this.#put(event.toolCallId, "tool", `${String(event.toolCallName)} `);
      case "TOOL_CALL_ARGS":
        return this.#put(event.toolCallId, "tool", delta);
      case "TOOL_CALL_RESULT":
        return this.#put(event.toolCallId, "tool", `\n→ ${String(event.content)}`);
      case "ACTIVITY_SNAPSHOT":
        return this.#card(event.messageId, String(event.activityType), event.content);
      case "ACTIVITY_DELTA":
        return this.#patch(event);
      case "RUN_ERROR":
        return this.#put("end", "error", String(event.message));
    }
  }

  #put(id: unknown, who: string, text: string): void {
    const key = `${String(id)} ${who}`;
    const before = this.shown.get(key) ?? { id: key, who, text: "" };
    this.shown.set(key, { ...before, text: before.text + text });
  }

  #card(id: unknown, type: string, content: unknown): void {
    this.#cards.set(id, { type, content });
    const key = `${String(id)} card`;
    this.shown.set(key, { id: key, who: "card", text: `${type} ${JSON.stringify(content)}` });
  }

  #patch({ messageId, patch }: RunEvent): void {
    const before = this.#cards.get(messageId);
    if (before)
      this.#card(messageId, before.type, applyPatch(before.content, patch as Parameters<typeof applyPatch>[1]));
  }
}

interface Line {
  event: RunEvent;
  count: number;
  from: number;
  /** What it is about, in a word. */
  says: string;
}

const saidBy = ({ delta, name, toolCallName, activityType, message }: RunEvent) =>
  [delta, name, toolCallName, activityType, message].find((each) => typeof each === "string") ?? "";

/** Consecutive deltas of one message share a line. */
export function grouped(events: readonly RunEvent[]): Line[] {
  const lines: Line[] = [];
  events.forEach((event, index) => {
    const last = lines.at(-1);
    const same =
      last?.event.type === event.type &&
      "delta" in event &&
      last.event.messageId === event.messageId &&
      last.event.toolCallId === event.toolCallId;
    if (last && same) {
      last.count++;
      last.says += String(event.delta);
    } else lines.push({ event, count: 1, from: index, says: saidBy(event) });
  });
  return lines;
}

/** The events of a run, and what the user saw after each. */
export function eventsView(events: readonly RunEvent[]): HTMLElement {
  return h(
    "div",
    {},
    heading("Replay"),
    ...player(events),
    heading("Events", number(events.length)),
    h("div", { class: "list" }, grouped(events).map(eventRow)),
  );
}

/** The run again, from any position. */
function player(events: readonly RunEvent[]): HTMLElement[] {
  const stage = h("div", { class: "stage", tabindex: 0, role: "group", "aria-label": "What was on screen" });
  const at = h("output", { class: "num" });
  const { length } = events;
  const slider = h("input", { type: "range", min: 0, max: length, value: length, "aria-label": "Position in the run" }) as HTMLInputElement; // prettier-ignore
  const play = h("button", { type: "button" }, "Replay");
  let timer: ReturnType<typeof setInterval> | undefined;

  const show = (position: number) => {
    slider.value = String(position);
    at.textContent = `${number(position)} of ${number(length)}`;
    stage.replaceChildren(...staged(shownAfter(events, position)));
  };
  const pause = () => {
    clearInterval(timer);
    timer = undefined;
    play.textContent = "Replay";
  };
  slider.addEventListener("input", () => {
    pause();
    show(Number(slider.value));
  });
  play.addEventListener("click", () => {
    if (timer) return pause();
    let position = Number(slider.value) >= length ? 0 : Number(slider.value);
    play.textContent = "Pause";
    const step = Math.max(1, Math.ceil(length / 600)); // a long run takes half a minute at most
    timer = setInterval(() => {
      position = Math.min(length, position + step);
      if (!stage.isConnected || position >= length) pause();
      show(position);
    }, 50);
  });
  show(length);
  return [h("div", { class: "player" }, play, slider, at), stage];
}

function staged(shown: readonly Shown[]): HTMLElement[] {
  if (shown.length === 0) return [h("p", { class: "quiet pad" }, "Nothing is shown yet.")];
  return shown.map(({ who, text }) =>
    h(
      "div",
      { class: `said ${who}` },
      h("span", { class: "tag" }, who),
      h("pre", {}, who === "answer" ? plainText(text) : text),
    ),
  );
}

const eventRow = ({ event, count, from, says }: Line) =>
  h(
    "details",
    {},
    h(
      "summary",
      {},
      h("span", { class: "num" }, from + 1),
      h("code", {}, event.type),
      h("span", { class: "grow cut quiet small" }, says.replace(/\s+/g, " ").slice(0, 160)),
      count > 1 ? h("span", { class: "tag" }, `× ${count}`) : "",
    ),
    block(event.type, JSON.stringify(event, null, 2)),
  );
