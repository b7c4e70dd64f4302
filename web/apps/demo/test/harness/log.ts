export interface Entry {
  ip: string;
  method: string;
  /** Milliseconds. */
  time: number;
  path: string;
  status: number;
}

const line = /^(\S+) \S+ \S+ \[([^\]]+)\] "(\S+) ([^ ?]*)\S*[^"]*" (\d{3}) /;
const stamp = /^(\d\d)\/(\w{3})\/(\d{4}):(\d\d:\d\d:\d\d) ([+-]\d{4})$/;

/** Reads an access log with nothing that the server uses. */
export function readLog(text: string): Entry[] {
  return text.split("\n").flatMap((raw) => {
    const [, ip, when, method, path, status] = line.exec(raw) ?? [];
    const [, day, month, year, clock, zone] = stamp.exec(when ?? "") ?? [];
    const torn = (raw.split('"').length - 1) % 2 === 1; // a quote that never ends: no log line
    if (torn || !ip || !method || path === undefined || !day) return [];
    return [{ ip, method, path, status: Number(status), time: Date.parse(`${day} ${month} ${year} ${clock} ${zone}`) }];
  });
}

/** How often each value occurs. */
export function countBy<T>(entries: readonly T[], key: (entry: T) => string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const entry of entries) counts.set(key(entry), (counts.get(key(entry)) ?? 0) + 1);
  return counts;
}
