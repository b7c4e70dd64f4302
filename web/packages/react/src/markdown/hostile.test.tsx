import { render } from "@testing-library/react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { stride } from "../../../../long.js";
import { effortOf } from "../../../core/test/effort.js";
import { hostile } from "../../dev/hostile.js";
import { prefixes } from "../../dev/render.js";
import { IncrementalLexer } from "./lexer.js";
import { Markdown } from "./Markdown.js";

const fetched = vi.fn();
beforeEach(() => void vi.stubGlobal("fetch", fetched));

const ELEMENTS =
  /^(?:div|p|a|span|strong|em|del|code|pre|br|ul|ol|li|table|thead|tbody|tr|th|td|h[3-6]|hr|blockquote|button|svg|path|rect|circle|g|figure|figcaption)$/;

/** Of `svg` and its parts: our own icons only. */
function inspect(container: HTMLElement, prefix: string) {
  for (const element of container.querySelectorAll("*")) {
    if (!ELEMENTS.test(element.localName)) expect.fail(`<${element.localName}> from ${JSON.stringify(prefix)}`);
    for (const { name, value } of element.attributes) {
      if (/^(?:on|src|style|srcdoc|action|formaction|ping|poster|data$|xlink)/.test(name))
        expect.fail(`${name} from ${JSON.stringify(prefix)}`);
      if (name === "href" && !/^(?:https?|mailto):$/.test(new URL(value, "https://app.example/").protocol))
        expect.fail(`href ${value} from ${JSON.stringify(prefix)}`);
    }
  }
}

function stream(source: string) {
  const { container, rerender, unmount } = render(<Markdown source="" streaming />);
  for (const [index, prefix] of [...prefixes(source)].entries()) {
    if (index % stride(3)) continue;
    rerender(<Markdown source={prefix} streaming />);
    inspect(container, prefix);
  }
  rerender(<Markdown source={source} />);
  inspect(container, source);
  unmount();
}

it("are over two hundred", () => expect(new Set(hostile).size).toBeGreaterThanOrEqual(200));

describe.each([0, 1, 2, 3, 4, 5, 6, 7])("hostile texts, part %i", (part) => {
  const some = hostile.filter((_, index) => index % 8 === part);

  it("make nothing dangerous at their prefixes, and fetch nothing", () => {
    some.forEach(stream);
    expect(fetched).not.toHaveBeenCalled();
  });

  it("also inside quotes and lists, and read at once", () => {
    for (const source of some) {
      const { container, unmount } = render(<Markdown source={`text\n\n> - ${source}\n\nmore`} />);
      inspect(container, source);
      unmount();
    }
  });
});

it.each(["*", "*a ", "**a *b ", "*_a ", "_a ", "__a*", "(*a)", "~~a ", "a_", "[*a", "> ", "1. ", "[", "![", "<", "`a"])(
  "20 kB of %j are read in no time",
  (piece) => {
    const source = `x${piece.repeat(20_000 / piece.length)}`;
    for (const streaming of [true, false]) {
      const read = () => new IncrementalLexer().read(source, streaming);
      // Some milliseconds; without bounds it were up to five seconds.
      expect(effortOf(read, 400)).toBeLessThan(400);
    }
  },
);
