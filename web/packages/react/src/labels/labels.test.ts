import { expect, it } from "vitest";
import { composerEnglish } from "./composer.js";
import { english } from "./english.js";
import { messageEnglish } from "./messages.js";
import { panelEnglish } from "./panels.js";

it("no two parts of the tray have a label of the same name: languages give them in one object", () => {
  const names = [english, composerEnglish, messageEnglish, panelEnglish].flatMap((labels) => Object.keys(labels));
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});
