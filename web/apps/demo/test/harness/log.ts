import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";

/** The real access log beside the repository; it is not part of it. */
export const logFile = fileURLToPath(new URL("../../../../../../shared/data/apache_access.log.gz", import.meta.url));

/** False, with a message, where the log is missing. */
export function hasLog(): boolean {
  const found = existsSync(logFile);
  if (!found) console.warn(`browser test skipped: ${logFile} is missing`);
  return found;
}

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

/** Reads the log with nothing that the server uses. */
export function readLog(): Entry[] {
  const text = gunzipSync(readFileSync(logFile)).toString("utf8");
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
