/** Markdown that is awkward when it arrives in pieces. For tests and benchmarks. */
export const corpus: Readonly<Record<string, string>> = {
  emphasis:
    "Some **bold**, *italic*, ***both***, __bold__, _it_, ~~gone~~, ~5 or ~6, snake_case_name, 2 * 3 * 4, **a *b* c** end.\n\n**open and never closed\n\nnext *one",
  code: "Use `a` and ``b ` c`` and `open\n\n```ts\nconst a = `x`;\n\n// **not bold** [x](y)\n```\n\nafter\n\n~~~\ntildes\n```\n~~~\n\n    indented\n    code\n\nend `",
  links:
    'See [docs](https://a.example/x(1)), [bad](javascript:alert(1)), [t](https://b.example "title"), <https://c.example>, https://d.example/path, www.e.example, me@f.example, [x], [1], array[0], [a [b] c](https://g.example) and ![img](https://h.example/i.png "t").',
  references:
    'First [one][a] and [two].\n\n[a]: https://a.example "A"\n\nLater [one][a].\n\n[two]: https://b.example\n\nEnd.',
  lists:
    "1. one\n2. two\n   - nested\n   - more\n\n     para in item\n3. three\n\n1\n\n- a\n\n- loose\n\n* other\n\n- [ ] open\n- [x] done\n- [ not\n\n10. ten\n11. eleven\n\n12 is a number\n\n- item\n\n  ```js\n  code()\n  ```\n\n- last",
  tables:
    "| a | b |\n|---|:-:|\n| 1 | **two** |\n| `x|y` | [l](https://a.example) |\n\ntext\n| h |\n| - |\n| r |\n\nno | pipes\n--|--\n1 | 2\n\n| not | a table |\nplain\n\n> | q | r |\n> |---|---|\n> | 1 | 2 |\n\n| one |",
  headings: "# One\n\nTwo\n===\n\nThree\n---\n\n#### Four ####\n\n#not\n\n---\n\n***\n\ntext\n- list\n\n####### seven",
  quotes: "> quote **bold\n> more**\n>\n> - list\n> > nested\n\nlazy\n\n> one\ncontinued\n\nafter",
  html: '<div onclick="x()">\n\n**hi** <b>bold</b> <br> next<br/>line\n\n</div>\n\n<!-- comment\n\nstill -->\n\n<script>alert(1)</script>\n\n<img src=x onerror=alert(1)>\n\n1 < 2 && 3 > 2 &amp; &lt;b&gt; &copy; &#65; &#x1F600; &nope; &',
  unicode:
    "Zażółć **gęślą** jaźń 😀👩‍👩‍👧 العربية **נועז** 日本語**太字**です。\n\n- 一\n- 二\n\nline\\\nbreak and two spaces  \nhere",
  lineEnds: "one\r\n\r\n- a\r\n- b\r\n\r\n```\r\ncode\r\n```\r\nend\rtwo",
  answer:
    "The **404s** come from few pages:\n\n| page | hits |\n|:-----|-----:|\n| `/a` | 12 |\n| `/b` | 7 |\n\n### Next\n\n1. Block `/a`\n2. Add `/b`:\n   - now\n   - later\n\n```ppl\nsource=log | where status = 404\n```\n\n> Range ends at 11:00.\n\nSee [docs](https://docs.example.com) for more.",
};
