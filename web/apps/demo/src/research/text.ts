/** What the types of fields are called. */
export const fieldTypes = { text: "Text", number: "Number", yes_no: "Yes or no", category: "Category" };

/** "Loges S, Heuser M and 10 more". */
export function authorLine(authors: readonly string[]): string {
  const shown = authors.length === 3 ? 3 : 2;
  const more = authors.length - shown;
  return authors.slice(0, shown).join(", ") + (more > 0 ? ` and ${more} more` : "");
}

/** A title without PubMed's tags for italics, superscript and subscript. */
export const plainTitle = (title: string) => title.replace(/<\/?(?:i|b|em|strong|sub|sup|u|scp)>/gi, "");
