/** The smallest amount that is told as it is. */
const LEAST = 0.0001;

/** What something cost, in words: to the cent, and below one as exactly as it matters. */
export function dollars(amount: number, locale: string): string {
  const maximumFractionDigits = amount < 0.01 ? 4 : 2;
  const format = new Intl.NumberFormat(locale, { style: "currency", currency: "USD", maximumFractionDigits });
  if (amount > 0 && amount < LEAST) return `< ${format.format(LEAST)}`;
  return format.format(amount);
}
