import { num } from "../ui/text.ts";

interface BarListProps {
  title: string;
  bars: readonly { label: string; value: number }[];
  /** What the values are parts of. */
  of: number;
}

/** Values as bars, each with its number: a table to a screen reader. */
export function BarList({ title, bars, of }: BarListProps) {
  const most = Math.max(1, ...bars.map(({ value }) => value));
  return (
    <table className="bar-list">
      <caption>{title}</caption>
      <tbody>
        {bars.map(({ label, value }) => (
          <tr key={label}>
            <th scope="row">{label}</th>
            <td aria-hidden="true">
              <span className="bar-fill" style={{ width: `${(value / most) * 100}%` }} />
            </td>
            <td>
              {num(value)} <span className="muted">{Math.round((value / of) * 100)}%</span>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
