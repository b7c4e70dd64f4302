/** Every state, by part of the tray. States that no part names are under "Others". */
import type { PanelName } from "../../../packages/react/dev/panels.js";
import { states } from "../../../packages/react/dev/states.js";
import type { TrayLayout } from "@pageside/react/tray";
import { boxScenes } from "./scenes-box.js";
import { runScenes } from "./scenes-runs.js";
import { shareScenes } from "./scenes-shares.js";

/** One state of the tray, as the gallery shows it. */
export interface Entry {
  /** In addresses and names of files. */
  id: string;
  part: string;
  name: string;
  /** A thread as it stands; with a scene it is made by events. */
  state?: string;
  scene?: string;
  panel?: PanelName;
  layout?: TrayLayout;
  closed?: boolean;
  /** Also shown in a wider tray. */
  wide?: boolean;
}

const parts: Record<string, readonly string[]> = {
  Conversation: ["empty", "loading", "answer", "code", "turns", "long", "rtl", "branches", "plain"],
  "While it answers": ["submitted", "reasoning", "streaming", "retrying", "tools"],
  Failures: [
    "error",
    "stopped",
    "unanswered",
    "failed",
    "cut",
    "filtered",
    "silent",
    "silent-now",
    "reconnecting",
    "offline",
  ],
  Cards: ["cards", "card-begun", "card-growing", "cards-settled", "changes", "charts"],
  "Approvals and questions": [
    "approval",
    "approval-always",
    "approval-destructive",
    "approval-hostile",
    "approval-long",
    "approval-answered",
    "confirmation",
    "questions",
  ],
  "Suggestions and queue": ["suggestions", "suggestions-other-words", "queue", "queue-held"],
};

const panels: readonly PanelName[] = [
  "history",
  "history-search",
  "history-empty",
  "history-failed",
  "sees",
  "sees-open",
  "menu",
  "shortcuts",
  "rename",
  "toast",
];

const words = (id: string) => id.replaceAll("-", " ");
const ofState = (part: string) => (state: string) => ({ id: state, part, name: words(state), state });

const named = new Set(Object.values(parts).flat());

/** Every state of the gallery, in its order. */
export const entries: readonly Entry[] = [
  ...Object.entries(parts).flatMap(([part, names]) => names.filter((name) => name in states).map(ofState(part))),
  ...Object.keys(states)
    .filter((name) => !named.has(name))
    .map(ofState("Others")),
  ...Object.keys(boxScenes).map((scene) => ({ id: `box-${scene}`, part: "Message box", name: words(scene), scene })),
  ...Object.keys(runScenes).map((scene) => ({ id: `run-${scene}`, part: "Played runs", name: words(scene), scene })),
  ...panels.map((panel) => ({ id: `panel-${panel}`, part: "Panels", name: words(panel), state: "answer", panel })),
  ...Object.keys(shareScenes).map((scene) => ({ id: `link-${scene}`, part: "Links", name: words(scene), scene })),
  { id: "link-full", part: "Links", name: "shared, full", scene: "shared", layout: "full", wide: true },
  { id: "launcher", part: "Layouts", name: "closed", state: "empty", closed: true, wide: true },
  ...(["docked", "overlay", "popup", "full", "inline"] as const).map((layout) => ({
    id: `layout-${layout}`,
    part: "Layouts",
    name: layout,
    state: "answer",
    layout,
    wide: true,
  })),
  { id: "layout-full-history", part: "Layouts", name: "full with history", state: "answer", layout: "full", panel: "history", wide: true }, // prettier-ignore
  { id: "layout-popup-menu", part: "Layouts", name: "popup with menu", state: "answer", layout: "popup", panel: "menu", wide: true }, // prettier-ignore
];
