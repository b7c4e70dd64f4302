/**
 * Milliseconds of processor time that some work takes, the least of several times, or of as many as
 * it takes to stay below `enough`. What else the machine does at the moment does not count; what
 * grows with the square of its input shows.
 */
export function effortOf(work: () => void, enough: number): number {
  let least = Infinity;
  for (let times = 0; times < 5 && least >= enough; times++) {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / 1000);
  }
  return least;
}
