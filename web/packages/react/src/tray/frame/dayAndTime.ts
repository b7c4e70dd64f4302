/** "Friday 10:32", for what ends within some days. */
export function dayAndTime(at: Date, locale: string): string {
  return at.toLocaleString(locale, { weekday: "long", hour: "2-digit", minute: "2-digit" });
}
