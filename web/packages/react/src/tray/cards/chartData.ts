/** One value of a chart. */
export interface ChartDatum {
  /** What the value is of. */
  label: string;
  /** The value. One that is no finite number is left out. */
  value: number;
}

/** The props of every chart. */
export interface ChartProps {
  /** Above the chart. */
  title?: string;
  /**
   * The values, in the order in which they are drawn; the first 200. While they stream, some are
   * missing.
   */
  data?: readonly Partial<ChartDatum>[];
  /** Behind each value: "ms", "%". */
  unit?: string;
}

/** More values could not be told apart. */
const MAX_SHOWN = 200;

/** The data that can be drawn. They may come from a model, and be half written. */
export function readData(data: unknown): ChartDatum[] {
  if (!Array.isArray(data)) return [];
  return data.slice(0, MAX_SHOWN).flatMap((each: unknown) => {
    const { label, value } = (each ?? {}) as { label?: unknown; value?: unknown };
    const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
    if (typeof number !== "number" || !Number.isFinite(number)) return [];
    return [{ label: typeof label === "string" || typeof label === "number" ? String(label) : "", value: number }];
  });
}

/** In about so many steps an axis goes from its lowest to its highest number. */
const STEPS = 3;

/** Round numbers for an axis, zero among them, from at most `low` to at least `high`. */
export function axisTicks(low: number, high: number): number[] {
  const from = Math.min(low, 0);
  const to = Math.max(high, 0);
  const raw = to / STEPS - from / STEPS;
  if (raw === 0) return [0, 1];
  const magnitude = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((factor) => factor * magnitude).find((size) => size >= raw) ?? raw;
  const first = Math.floor(from / step);
  const count = Math.ceil(to / step) - first;
  const ticks = Array.from({ length: count + 1 }, (_, index) => Number(((first + index) * step).toPrecision(12)));
  return ticks.every(Number.isFinite) ? ticks : [from, to]; // no rounder number is that large
}

/** A value as it stands in a chart, with its unit. */
export function formatValue(value: number, unit = ""): string {
  const text = value.toLocaleString(undefined, { maximumFractionDigits: Math.abs(value) < 10 ? 2 : 1 });
  return unit ? `${text}${unit === "%" || unit.length > 1 ? "\u00a0" : ""}${unit}` : text;
}
