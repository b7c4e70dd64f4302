/**
 * Texts that are long in one way only: a mark that is repeated, never closed, or nested. For tests,
 * which grow them to any size. Whoever talks a model into writing one must not stop the page.
 */

/** A text of about so many characters. */
export type Flood = (size: number) => string;

const times =
  (piece: string, before = "", after = ""): Flood =>
  (size) =>
    before + piece.repeat(Math.ceil(size / piece.length)) + after;

const numbered =
  (piece: (index: number) => string): Flood =>
  (size) => {
    const pieces: string[] = [];
    for (let length = 0, index = 0; length < size; index++) {
      const next = piece(index);
      pieces.push(next);
      length += next.length;
    }
    return pieces.join("");
  };

/** Each line one step further to the right, and back again. */
const pyramid =
  (mark: string, depth: number, step: string): Flood =>
  (size) =>
    numbered((index) => {
      const place = index % (2 * depth);
      return `${step.repeat(place < depth ? place : 2 * depth - place)}${mark}x\n`;
    })(size);

const table =
  (columns: number): Flood =>
  (size) => {
    const row = `|${" a |".repeat(columns)}\n`;
    return `${row}|${"---|".repeat(columns)}\n${row.repeat(Math.ceil(size / row.length))}`;
  };

export const floods: Readonly<Record<string, Flood>> = {
  // links, images, references
  "[": times("["),
  "]": times("]"),
  "[]": times("[]"),
  "![": times("!["),
  "[a": times("[a "),
  "[a]": times("[a] "),
  "[a][": times("[a]["),
  "[a](": times("[a]("),
  "[a](http://x/": times("[a](http://x/"),
  "[a](http://x/ once closed": times("[a](http://x/", "", ")"),
  "[a](http://x/)": times("[a](http://x/) "),
  "![a](http://x/)": times("![a](http://x/) "),
  "[a](<b": times("[a](<b"),
  '[a](b "': times('[a](b "'),
  "[a](b (": times("[a](b (", "", ")"),
  "[[a](b)](c)": times("[[a](b)](c)"),
  "[ nested": (size) => "[".repeat(size / 2) + "]".repeat(size / 2),
  "[( nested": (size) => "[".repeat(size / 6) + "](x)".repeat(size / 6),
  "( nested": (size) => `[a](${"(".repeat(size / 2)}${")".repeat(size / 2)})`,
  "[a\\]": times("[a\\]"),
  "[`": times("[`"),
  "[a]: ": times("[a]: "),
  "[a]: b\\n": times("[a]: b\n"),
  "[n]: b\\n": numbered((index) => `[${index}]: http://x.example/${index}\n`),
  "[n] before [n]: ": numbered(
    (index) => `see [${index}] and [it][${index}]\n\n[${index}]: http://x.example/${index}\n\n`,
  ),
  '[a]: b "': times('[a]: b "c\n'),
  // html, comments, autolinks, addresses
  "<": times("<"),
  "<a ": times("<a "),
  "<a b=": times("<a b='c' "),
  "<a>": times("<a>"),
  "</a": times("</a "),
  "<!--": times("<!--"),
  "<!": times("<!A "),
  "<?": times("<?"),
  "<![CDATA[": times("<![CDATA["),
  "<script>": times("<script>\n"),
  "<div>": times("<div>\n"),
  "<http://x>": times("<http://x> "),
  "<http://x": times("<http://x"),
  "<a@": times("<a@b."),
  "http://": times("http://"),
  "http://a.example/ ": times("http://a.example/ "),
  "http://a.example/ in one": times("a.", "http://"),
  "http://a((": times("(", "http://a.example/"),
  "http://a??": times("?!", "http://a.example/"),
  "www.": times("www."),
  "www. ": times("www.a.example "),
  "a@b.": times("a@b."),
  "a@b.example ": times("a@b.example "),
  "a.a.a": times("a."),
  "a-a@": times("a-a@"),
  "mailto:": times("mailto:a@"),
  // emphasis, strikethrough, code, escapes, references
  "*": times("*"),
  "* ": times("*a "),
  "**a** ": times("**a** "),
  "*a": times("*a"),
  "a*": times("a*"),
  "a**b": times("a**b"),
  "*_": times("*_"),
  "*_a": times("*_a"),
  _: times("_"),
  "_a_ ": times("_a_ "),
  __a: times("__a "),
  "***a": times("***a **b* "),
  "~~": times("~~"),
  "~~a": times("~~a "),
  "~~a~~ ": times("~~a~~ "),
  "~": times("~a"),
  "`": times("`"),
  "` a": times("` a"),
  "a` ": times("a` "),
  "`` runs": numbered((index) => `${"`".repeat((index % 300) + 1)}a`),
  "`a` ": times("`a` "),
  "``a` ": times("``a` "),
  "\\": times("\\"),
  "\\*": times("\\*"),
  "\\`": times("\\`a"),
  "&": times("&"),
  "&#": times("&#"),
  "&amp;": times("&amp;"),
  "&#65;": times("&#65;"),
  "&a": times("&aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"),
  "!": times("!"),
  "<br>": times("<br>"),
  // blocks
  "> ": times("> "),
  ">": times(">"),
  "> a\\n": times("> a\n"),
  "> a\\nb\\n": times("> a\nb\n"),
  ">> pyramid": pyramid("", 60, "> "),
  ">> deeper": (size) => numbered((index) => `${">".repeat(index)} a\n`)(size),
  "> - > -": times("> - "),
  "- ": times("- "),
  "-": times("-"),
  "- a\\n": times("- a\n"),
  "- a\\n\\n": times("- a\n\n"),
  "- [ ] a\\n": times("- [ ] a\n"),
  "- pyramid": pyramid("- ", 60, "  "),
  "- deeper": (size) => numbered((index) => `${"  ".repeat(index)}- a\n`)(size),
  "- a\\nb": times("- a\nb\n"),
  "-\\n": times("-\n"),
  "- \\t": times("-\t"),
  "* - +": times("* - + "),
  "1. ": times("1. "),
  "1. a\\n": times("1. a\n"),
  "1. pyramid": pyramid("1. ", 60, "   "),
  "1) 1.": times("1) a\n1. a\n"),
  "#": times("#"),
  "# ": times("# a\n"),
  "# #": times("# "),
  "# a #": times("#", "# a "),
  "=": times("a\n=\n"),
  "= line": times("=", "a\n"),
  "a\\n without =": times("a\n"),
  "- line": times("-", "a\n"),
  "---\\n": times("---\n"),
  "- - -": times("- - -\n"),
  "***\\n": times("* * *\n"),
  "```": times("```\n"),
  "```a": times("```a\nb\n"),
  "``` open": times("code line\n", "```js\n"),
  "``` in a list": times("- ```\n  code\n"),
  "~~~": times("~~~ a\n"),
  "    code": times("    code\n"),
  "    code\\n\\n": times("    code\n\n\n"),
  "|": times("|"),
  "| ": times("| "),
  "|a\\n": times("|a\n"),
  "a|b\\n": times("a|b\n"),
  "|-": times("|-", "|a\n"),
  "|:-:": times("|:-:"),
  "|-\\n": times("|-|\n"),
  "- | -": times("-|\n-|\n"),
  "a table of 1": table(1),
  "a table of 4": table(4),
  "a table of 300": table(300),
  tables: times("| a | b |\n|---|---|\n| c | d |\n\n"),
  "\\|": times("\\|", "| a |\n|---|\n| "),
  // characters
  words: times("lorem ipsum dolor sit amet "),
  paragraphs: times("lorem **ipsum** dolor `sit` amet\n\n"),
  "paragraphs of links": times(`${"[a](b (".repeat(400)}\n\n`),
  "paragraphs of marks": times(`${"*a_b".repeat(500)}\n\n`),
  "items of code": times(`- ${"`a` ".repeat(500)}\n`),
  "no space": times("a"),
  digits: times("1234567890"),
  base64: times("aGVsbG8gd29ybGQ+/"),
  wide: times("漢字"),
  emoji: times("👩🏽\u200d👧 "),
  combining: times("\u0301", "a"),
  "zero width": times("a\u200b"),
  "soft hyphens": times("a\u00ad"),
  "right to left": times("\u202eabc \u05d0\u05d1\u05d2 "),
  isolates: times("\u2066"),
  "no-break space": times("a\u00a0"),
  "\\n": times("\n", "a", "b"),
  "a\\n\\n": times("a\n\n"),
  "  \\n": times("a  \n"),
  "\\n spaces": times("\n   ", "a", "b"),
  "\\r": times("a\r"),
  "\\r\\n": times("a\r\n"),
  "\\t": times("\t", "a", "b"),
  "\\ta": times("\ta\n"),
  spaces: times(" ", "a", "b"),
  "spaces at ends": times("a                    \n"),
  "\\u0000": times("\u0000"),
};
