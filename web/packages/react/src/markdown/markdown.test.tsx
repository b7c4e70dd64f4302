import { fireEvent, render, screen } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { oneShot, oneShotElement } from "../../dev/render.js";
import { Markdown } from "./Markdown.js";
import { toPlainText } from "./plain.js";

const html = (source: string) => oneShotElement(source).firstElementChild!.innerHTML;

describe("a whole text", () => {
  it("has GitHub's tables, strikethrough, tasks and autolinks", () => {
    const element = oneShotElement(
      "| a | b |\n|--|--:|\n| 1 | 2 |\n\n~~no~~ ~5 to ~6\n\n- [x] done\n- [ ] open\n\nhttps://a.example/x",
    );
    expect(element.querySelectorAll("tbody td")).toHaveLength(2);
    expect(element.querySelector("td[data-align=right]")?.textContent).toBe("2");
    expect(element.querySelector("del")?.textContent).toBe("no");
    expect(element.textContent).toContain("~5 to ~6");
    expect([...element.querySelectorAll("[role=img]")].map((mark) => mark.getAttribute("aria-label"))).toEqual([
      "Done",
      "To do",
    ]);
    expect(element.querySelector("a")?.getAttribute("href")).toBe("https://a.example/x");
  });

  it("shows raw HTML as text and reads <br> only", () => {
    expect(html("<b>x</b> a<br>b")).toBe("<p>&lt;b&gt;x&lt;/b&gt; a<br>b</p>");
    expect(html("<div>**x**</div>")).toBe("<p>&lt;div&gt;<strong>x</strong>&lt;/div&gt;</p>");
  });

  it("decodes character references outside code", () => {
    expect(oneShotElement("&lt;b&gt; &amp;amp; &copy; &#x1F600; &nope; &constructor; `&lt;`").textContent).toBe(
      "<b> &amp; © 😀 &nope; &constructor; &lt;",
    );
  });

  it("numbers lists from where they start", () => {
    expect(oneShotElement("3. a\n4. b").querySelector("ol")?.getAttribute("start")).toBe("3");
  });

  it("begins headings below the tray's own", () => {
    expect(oneShotElement("# a").querySelector("h3")?.textContent).toBe("a");
    const levels = [...oneShotElement("### a\n\n## b\n\n#### c\n\n# d").querySelectorAll("h3,h4,h5,h6")];
    expect(levels.map(({ localName, className }) => `${localName} ${className}`)).toEqual([
      "h3 ps-md-h3",
      "h4 ps-md-h2",
      "h5 ps-md-h4",
      "h3 ps-md-h1",
    ]);
  });

  it("survives nesting deeper than the stack", () => {
    for (const source of [
      ">".repeat(5000),
      "- ".repeat(5000),
      "*a ".repeat(3000),
      "[".repeat(20_000),
      "`".repeat(3001),
    ]) {
      expect(oneShot(source, true).length + oneShot(source).length).toBeGreaterThan(0);
    }
  });
});

describe("links", () => {
  const link = (source: string) => oneShotElement(source).querySelector("a");

  it("open outside in a new tab, without telling where from", () => {
    expect(link("[a](https://x.example/y)")?.outerHTML).toBe(
      '<a href="https://x.example/y" rel="noopener noreferrer nofollow ugc" target="_blank">a</a>',
    );
  });

  it("stay in the tab inside the application", () => {
    for (const target of ["/orders/7", "orders?x=1", "#top", "?q=1", "../up"]) {
      expect(link(`[a](${target})`)?.getAttribute("href")).toBe(target);
      expect(link(`[a](${target})`)?.hasAttribute("target")).toBe(false);
    }
  });

  it.each([
    ["[docs](https://x.example/a)", "docs (x.example)"],
    ["[https://bank.example](https://evil.example)", "https://bank.example (evil.example)"],
    ["[x.example](https://x.example/a)", "x.example"],
    ["[www.x.example/b](https://x.example/a)", "www.x.example/b"],
    ["https://x.example/a", "https://x.example/a"],
    ["<https://bank.example@evil.example>", "https://bank.example@evil.example (evil.example)"],
    ["[x](//evil.example/a)", "x (evil.example)"],
    ["[x](/\\\\evil.example/a)", "x (evil.example)"],
    ["[mail](mailto:a@x.example)", "mail (a@x.example)"],
    ["a@x.example", "a@x.example"],
  ])("%s names its host unless the text does", (source, text) => {
    expect(oneShotElement(source).textContent).toBe(text);
  });
});

describe("every kind of link and image is judged by the address that was read", () => {
  const kinds: Record<string, (address: string) => string> = {
    inline: (address) => `[x](${address})`,
    "in angle brackets": (address) => `[x](<${address}>)`,
    "by reference": (address) => `[x][r] [r][] [r]\n\n[r]: ${address} "title"`,
    "by a reference above": (address) => `[R]: <${address}>\n\n> - [x][r]`,
    autolink: (address) => `<${address}>`,
    bare: (address) => `see ${address} there`,
    "in a table": (address) => `| a |\n|---|\n| [x](${address}) |`,
    "after a link that nests": (address) => `[a [x](${address})](${address})`,
  };
  const refused = [
    "javascript:alert(1)",
    "JAVASCRIPT&colon;alert(1)",
    "java&Tab;script:alert(1)",
    "data:text/html,x",
    "vbscript:x",
    "blob:https://a.example/1",
    "file:///etc/passwd",
  ];

  /** Other schemes than https of what can be clicked. An entity that is unknown is a plain path. */
  function schemesIn(source: string): string[] {
    const element = oneShotElement(source);
    expect(element.querySelector("img")).toBeNull();
    const addresses = [...element.querySelectorAll("a, button.ps-image-gate")].map(
      (each) => each.getAttribute("href") ?? each.getAttribute("title")!,
    );
    return addresses
      .map((address) => new URL(address, "https://app.example/").protocol)
      .filter((scheme) => scheme !== "https:");
  }

  it.each(Object.entries(kinds))("%s", (_name, write) => {
    for (const address of refused) expect(schemesIn(write(address)), write(address)).toEqual([]);
    const links = [...oneShotElement(write("https://x.example/a")).querySelectorAll("a")];
    expect(links.length).toBeGreaterThan(0);
    for (const each of links) {
      expect(each.getAttribute("href")).toBe("https://x.example/a");
      expect(each.getAttribute("rel")).toBe("noopener noreferrer nofollow ugc");
      expect(each.getAttribute("target")).toBe("_blank");
    }
  });

  it("images by reference wait for a click too, and take no other address", () => {
    for (const source of [
      "![x][r]\n\n[r]: https://x.example/i.png",
      "![r]\n\n[r]: <https://x.example/i.png>",
      "![x](https://x.example/i.png)",
    ]) {
      const element = oneShotElement(source);
      expect(element.querySelector("img")).toBeNull();
      expect(element.querySelectorAll("button.ps-image-gate")).toHaveLength(1);
    }
    for (const address of refused) {
      expect(schemesIn(`![x][r] ![y](${address})\n\n[r]: ${address}`)).toEqual([]);
    }
  });
});

describe("images", () => {
  it("are fetched after a click only", () => {
    render(<Markdown source="![a chart](https://x.example/c.png)" />);
    expect(screen.queryByRole("img")).toBeNull();
    fireEvent.click(screen.getByRole("button", { name: /Load image: a chart/ }));
    const image = screen.getByRole("img", { name: "a chart" });
    expect(image.getAttribute("src")).toBe("https://x.example/c.png");
    expect(image.getAttribute("referrerpolicy")).toBe("no-referrer");
  });

  it("ask again when the address changes", () => {
    const { rerender } = render(<Markdown source="![a](https://x.example/1.png)" />);
    fireEvent.click(screen.getByRole("button"));
    rerender(<Markdown source="![a](https://x.example/2.png)" />);
    expect(screen.queryByRole("img")).toBeNull();
  });

  it("are their text inside a link", () => {
    expect(html("[![alt](https://x.example/c.png)](https://y.example)")).not.toMatch(/<img|<button/);
  });
});

it("gives plain text for speech", () => {
  expect(toPlainText("# Hi\n\n**a** [b](https://x.example) `c` &amp;\n\n- one\n- two\n\n| h |\n|--|\n| d |")).toBe(
    "Hi a b c & one. two h. d",
  );
});
