/**
 * Reports whether a suggestion sends other words than it shows. Case, spaces and the mark at the
 * end make no difference, invisible characters do.
 */
export const saysOtherwise = (label: string, value: string): boolean => plain(label) !== plain(value);

const plain = (text: string) =>
  text
    .replace(/[ \t\n]+/g, " ")
    .trim()
    .replace(/[.!?\u2026]$/, "")
    .toLowerCase();
