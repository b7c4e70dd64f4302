/** "1,362". */
export const num = (value: number) => value.toLocaleString("en");

/** "1 article", "1,362 articles". */
export const count = (value: number, one: string) => `${num(value)} ${one}${value === 1 ? "" : "s"}`;

/** "2 Jan 2026" of a time, in UTC. */
export const day = (time: string) =>
  new Date(time).toLocaleDateString("en-GB", { day: "numeric", month: "short", year: "numeric", timeZone: "UTC" });

/** What an error says to the user. */
export const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** A whole number from 1 in an address; undefined for any other text. */
export function positive(text: string | null): number | undefined {
  return /^[1-9]\d{0,6}$/.test(text ?? "") ? Number(text) : undefined;
}
