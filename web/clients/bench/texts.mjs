// What is written and read: the same words for every front end.
const table = `| page | requests | share |
|---|--:|--:|
| \`/index.html\` | 12,840 | 18.3 % |
| \`/downloads\` | 9,112 | 13.0 % |
| \`/search\` | 4,020 | 5.7 % |`;
const list = `1. The **first** is asked for most.
2. The second has a \`404\` in every tenth answer.
   - mostly from crawlers
   - and from one old link
3. The third is [documented](https://example.com/docs).`;
const code = '```python\nfor page, count in counts.most_common(10):\n    print(f"{page:40} {count:8,}")\n```';
const prose = `Most of the traffic comes from a few pages, and what is asked for least is asked for by machines. The errors began
on Tuesday between nine and ten; before that there were none, and since Thursday there are fewer than one in a thousand.`;

const section = (n) => `## Part ${n}\n\n${prose}\n\n${[table, list, code][n % 3]}\n\n${prose}\n\n`;

/** About 1,400 words, the last of which is "finis". */
export const answer = `${Array.from({ length: 12 }, (_, n) => section(n + 1)).join("")}So much for now: finis`;

/** A conversation of so many messages, the last answer of which says "newest". */
export const conversation = (count) =>
  Array.from({ length: count }, (_, n) => {
    const isQuestion = n % 2 === 0;
    const text = isQuestion ? `Which pages have the most errors in week ${n / 2}?` : section((n + 1) / 2);
    return {
      id: `m${n}`,
      role: isQuestion ? "user" : "assistant",
      content: n === count - 1 ? `${text}The newest.` : text,
    };
  });
