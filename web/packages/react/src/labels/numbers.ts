/** Numbers and dates in the texts of the tray, in the language of the catalogue. */

/** `"1 step"`, `"3 steps"`. */
export const plural = (count: number, one: string, many: string) => `${count} ${count === 1 ? one : many}`;

/** A number with two significant digits: `1.2`, `350`. */
export const rounded = (value: number, language: string) =>
  new Intl.NumberFormat(language, { maximumSignificantDigits: 2 }).format(value);

/** A size in the largest unit that leaves a number of at least one. */
export function formatBytes(size: number, language: string): string {
  const units = ["B", "kB", "MB"];
  const step = Math.min(2, Math.floor(Math.log10(Math.max(size, 1)) / 3));
  return `${rounded(size / 1000 ** step, language)} ${units[step]}`;
}

/** `"Friday 10:32"`, for what ends within some days. */
export function dayAndTime(at: Date, locale: string): string {
  return at.toLocaleString(locale, { weekday: "long", hour: "numeric", minute: "2-digit" });
}

/** `"14:05"`, and `"Friday 14:05"` on another day. */
export function timeOf(at: Date, now: Date, locale: string): string {
  if (at.toDateString() !== now.toDateString()) return dayAndTime(at, locale);
  return clockTime(at, locale);
}

/** `"2:05 PM"`. */
export const clockTime = (at: Date, locale: string) =>
  at.toLocaleTimeString(locale, { hour: "numeric", minute: "2-digit" });

/** `"March 12, 2026"`. */
export const date = (at: Date, locale: string) => at.toLocaleDateString(locale, { dateStyle: "long" });

/** `"March 12, 2026 at 2:05 PM"`. */
export const dateAndTime = (at: Date, locale: string) =>
  at.toLocaleString(locale, { dateStyle: "long", timeStyle: "short" });

/** Smaller amounts are shown as "less than" this. */
const LEAST = 0.0001;

/** An amount in US dollars: to the cent, and below one cent to a hundredth of it. */
export function dollars(amount: number, locale: string): string {
  const maximumFractionDigits = amount < 0.01 ? 4 : 2;
  const format = new Intl.NumberFormat(locale, { style: "currency", currency: "USD", maximumFractionDigits });
  if (amount > 0 && amount < LEAST) return `< ${format.format(LEAST)}`;
  return format.format(amount);
}
