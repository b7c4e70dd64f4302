/**
 * How well a name fits what was typed; undefined if a character is missing or out of order. The
 * beginning of the name counts most, then beginnings of words, then characters in a row.
 */
export function score(name: string, query: string): number | undefined {
  const [text, wanted] = [name.toLowerCase(), query.toLowerCase()];
  if (!wanted) return 0;
  if (text.startsWith(wanted)) return 1000;
  let total = 0;
  let at = -1;
  for (const character of wanted) {
    const next = text.indexOf(character, at + 1);
    if (next < 0) return undefined;
    const beginsWord = next === 0 || /[^a-z0-9]/.test(text[next - 1]!);
    total += beginsWord ? 12 : next === at + 1 ? 8 : 1;
    at = next;
  }
  return total;
}

/**
 * The items that fit, best first. Equals keep their order. Descriptions have to contain the query
 * as it was typed.
 */
export function filter<Item>(
  items: readonly Item[],
  query: string,
  names: (item: Item) => { name: string; description: string },
): Item[] {
  if (!query) return [...items];
  const found = items.flatMap((item) => {
    const { name, description } = names(item);
    const byName = score(name, query);
    if (byName !== undefined) return [{ item, points: byName }];
    const told = query.length > 1 && description.toLowerCase().includes(query.toLowerCase());
    return told ? [{ item, points: -1000 }] : [];
  });
  return found.sort((a, b) => b.points - a.points).map(({ item }) => item);
}
