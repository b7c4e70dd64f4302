/** The run's events, and the run again: what a reader saw after each of them. */
import type { RunEvent } from "./api.ts";
import { block, h, number } from "./dom.ts";
import { applyPatch } from "../../../packages/core/src/patch.ts";
import { heading } from "./prompt.ts";

interface Shown {
  id: string;
  who: string;
  text: string;
}

/** What is on screen after the first events, in the order of its beginning. */
export function shownAfter(events: readonly RunEvent[], count: number): Shown[] {
  const shown = new Map<string, Shown>();
  const put = (id: unknown, who: string, text: string) => {
    const key = `${String(id)} ${who}`;
    const before = shown.get(key) ?? { id: key, who, text: "" };
    shown.set(key, { ...before, text: before.text + text });
  };
  const cards = new Map<unknown, { type: string; content: unknown }>();
  const card = (id: unknown, type: string, content: unknown) => {
    cards.set(id, { type, content });
    const key = `${String(id)} card`;
    shown.set(key, { id: key, who: "card", text: `${type} ${JSON.stringify(content)}` });
  };
  for (const event of events.slice(0, count)) {
    const delta = typeof event.delta === "string" ? event.delta : "";
    switch (event.type) {
      case "TEXT_MESSAGE_START":
      case "TEXT_MESSAGE_CONTENT":
        put(event.messageId, "answer", delta);
        break;
      case "REASONING_MESSAGE_START":
      case "REASONING_MESSAGE_CONTENT":
        put(event.messageId, "thought", delta);
        break;
      case "TOOL_CALL_START":
        put(event.toolCallId, "tool", `${String(event.toolCallName)} `);
        break;
      case "TOOL_CALL_ARGS":
        put(event.toolCallId, "tool", delta);
        break;
      case "TOOL_CALL_RESULT":
        put(event.toolCallId, "tool", `\n→ ${String(event.content)}`);
        break;
      case "ACTIVITY_SNAPSHOT":
        card(event.messageId, String(event.activityType), event.content);
        break;
      case "ACTIVITY_DELTA": {
        const before = cards.get(event.messageId);
        if (before)
          card(
            event.messageId,
            before.type,
            applyPatch(before.content, event.patch as Parameters<typeof applyPatch>[1]),
          );
        break;
      }
      case "RUN_ERROR":
        put("end", "error", String(event.message));
        break;
    }
  }
  return [...shown.values()];
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

/** Deltas of one message, one behind the other, are one line. */
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

export function eventsView(events: readonly RunEvent[]): HTMLElement {
  const stage = h("div", { class: "stage", tabindex: 0, role: "group", "aria-label": "What was on screen" });
  const at = h("output", { class: "num" });
  const slider = h("input", {
    type: "range",
    min: 0,
    max: events.length,
    value: events.length,
    "aria-label": "Position in the run",
  }) as HTMLInputElement;
  const play = h("button", { type: "button" }, "Replay");
  let timer: ReturnType<typeof setInterval> | undefined;

  const show = (position: number) => {
    slider.value = String(position);
    at.textContent = `${number(position)} of ${number(events.length)}`;
    const parts = shownAfter(events, position).map(({ who, text }) =>
      h("div", { class: `said ${who}` }, h("span", { class: "tag" }, who), h("pre", {}, text)),
    );
    stage.replaceChildren(...(parts.length > 0 ? parts : [h("p", { class: "quiet pad" }, "Nothing is shown yet.")]));
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
    let position = Number(slider.value) >= events.length ? 0 : Number(slider.value);
    play.textContent = "Pause";
    const step = Math.max(1, Math.ceil(events.length / 600)); // a long run takes half a minute at most
    timer = setInterval(() => {
      position = Math.min(events.length, position + step);
      if (!stage.isConnected || position >= events.length) pause();
      show(position);
    }, 50);
  });
  show(events.length);
  return h(
    "div",
    {},
    heading("Replay"),
    h("div", { class: "player" }, play, slider, at),
    stage,
    heading("Events", number(events.length)),
    h("div", { class: "list" }, grouped(events).map(eventRow)),
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
