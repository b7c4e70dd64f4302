// Runs in the browser; started by hostile.mjs.
import { createRoot } from "react-dom/client";
import { flushSync } from "react-dom";
import { Markdown } from "../src/markdown/Markdown.js";
import { hostile } from "./hostile.js";
import { prefixes } from "./render.js";

Object.assign(globalThis, {
  /**
   * Streams every text into the page, a character at a time. Resolves with what is dangerous in the
   * document.
   */
  async streamHostile(): Promise<string[]> {
    const found: string[] = [];
    for (const source of hostile) {
      const element = document.body.appendChild(document.createElement("div"));
      const root = createRoot(element);
      for (const prefix of prefixes(source)) {
        flushSync(() => root.render(<Markdown source={prefix} streaming />));
        for (const each of element.querySelectorAll(
          "script, img, iframe, object, embed, link, style, form, video, audio",
        ))
          found.push(`<${each.localName}> from ${JSON.stringify(prefix)}`);
        for (const { protocol } of element.querySelectorAll("a"))
          if (!/^(?:https?|mailto|about):$/.test(protocol)) found.push(`${protocol} from ${JSON.stringify(prefix)}`);
      }
      flushSync(() => root.render(<Markdown source={source} />));
      for (const each of element.querySelectorAll<HTMLElement>("a, figure, td, p")) {
        each.dispatchEvent(new MouseEvent("mouseover", { bubbles: true }));
        each.focus();
      }
      await new Promise((resolve) => setTimeout(resolve, 1));
      root.unmount();
      element.remove();
    }
    return found;
  },
});
