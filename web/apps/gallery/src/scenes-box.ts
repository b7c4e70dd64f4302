/** Scenes of the message box, with a client and a scripted agent. */
import { uiActionsOf } from "@pageside/context-provider/ui-actions";
import type { PagesideClient } from "@pageside/core";
import { attach, button, one, pause, press, send, type } from "./act.js";

/** What the scene of dictating uses of a browser's recognition. */
interface Recognition {
  onresult: ((event: { results: { transcript: string }[][] }) => void) | null;
  start: () => void;
}

const picture = () => {
  const bytes = Uint8Array.from(
    atob(
      "iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAGElEQVR4nGNk+M+AFzDhlx4pCv7//w8AWkoDA3lEGXoAAAAASUVORK5CYII=",
    ),
    (character) => character.charCodeAt(0),
  );
  return new File([bytes], "chart.png", { type: "image/png" });
};
const report = () =>
  new File([new Uint8Array(341_000)], "a report with quite a long name, from yesterday.pdf", {
    type: "application/pdf",
  });
const refused = () => new File(["x"], "setup.exe", { type: "application/x-msdownload" });

/** What is done in the message box, by the name of the scene. */
export const boxScenes: Record<string, (client: PagesideClient) => Promise<unknown>> = {
  commands: () => type("/"),
  "commands-filtered": () => type("/ex"),
  "command-hint": () => type("/explain "),
  mentions: () => type("Look at @"),
  pills: async () => {
    await type("Compare @sel");
    await press("Tab");
    await type("with @ch");
    await press("Tab");
  },
  "pill-preview": async () => {
    await type("@sel");
    await press("Tab");
    (await one(".ps-pill-name")).click();
  },
  "unknown-command": () => send("/debug Debug the log using the current time range"),
  "action-asks": async (client) => {
    const actions = uiActionsOf(client);
    actions.registerAction({
      id: "delete_saved_query",
      getDisplayName: () => "Delete the saved query",
      type: "assistant-tool",
      description: "Deletes a query that was saved",
      parameters: { type: "object", properties: { query: { type: "string" }, everywhere: { type: "boolean" } } },
      requiresConfirmation: ({ query }) => `Delete the saved query “${String(query)}”?`,
      execute: () => undefined,
    });
    actions.addTriggerAction("menu", "delete_saved_query");
    await send("Which queries did I save?"); // the question stands between an answer and the box
    void actions.executeTriggerActions("menu", {
      actionId: "delete_saved_query",
      args: { query: "404s by page, of the last seven days", everywhere: true },
    });
    await one(".ps-queue.ps-interrupt");
  },
  help: async () => {
    await type("/help");
    await press("Enter");
  },
  files: async () => {
    await attach(picture(), report(), refused());
    await type("What do these say?");
  },
  "files-sent": async () => {
    await attach(picture(), report());
    await send("What do these say?");
  },
  tall: async () => {
    for (let line = 1; line <= 12; line++) await type(`Line ${line}${line < 12 ? "\n" : ""}`);
  },
  queue: async () => {
    await send("Answer slowly");
    for (const text of ["And which clients ask for them?", "Then block the three that ask most"]) {
      await pause(80);
      await send(text);
    }
  },
  models: async (client) => {
    await one(".ps-model button");
    await client.pickModel("thorough", "high");
    (await one(".ps-model button")).click();
  },
  dictating: async () => {
    // The browser's own would ask for the microphone.
    const { prototype } = (window as unknown as { webkitSpeechRecognition: { prototype: Recognition } })
      .webkitSpeechRecognition;
    prototype.start = function () {
      setTimeout(() => this.onresult?.({ results: [[{ transcript: "How many errors were there" }]] }));
    };
    (await button("Dictate")).click();
  },
  drop: async () => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File(["x"], "a.png", { type: "image/png" }));
    (await one(".ps-tray")).dispatchEvent(new DragEvent("dragenter", { dataTransfer, bubbles: true }));
  },
};
