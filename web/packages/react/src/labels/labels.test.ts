import { expect, it } from "vitest";
import { composerEnglish } from "./composerEnglish.js";
import { english } from "./english.js";
import { german } from "./german.js";
import { messageEnglish } from "./messageEnglish.js";
import { questionEnglish } from "./questionEnglish.js";
import { panelEnglish } from "./panelEnglish.js";

it("no two parts of the tray have a label of the same name: languages give them in one object", () => {
  const names = [english, composerEnglish, messageEnglish, panelEnglish, questionEnglish].flatMap((labels) =>
    Object.keys(labels),
  );
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});

it("a request that the set-up refuses is told in the user's words: the operator's are in the log", () => {
  for (const labels of [english, german])
    for (const code of ["forbidden_proxy", "forbidden_host", "forbidden_origin"])
      expect(labels.errorSentence(code), code).toMatch(/not set up|nicht eingerichtet/);
});
