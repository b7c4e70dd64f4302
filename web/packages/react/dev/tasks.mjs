// What the main thread of a page does in one go, as the browser itself records it.

const CATEGORIES = ["toplevel", "devtools.timeline", "disabled-by-default-devtools.timeline"];
/** A longer task keeps the reader waiting, in milliseconds. */
const LONG = 50;

/** The tasks of one page. */
export class Tasks {
  #session;

  static async of(page) {
    const tasks = new Tasks();
    tasks.#session = await page.context().newCDPSession(page);
    return tasks;
  }

  /**
   * The longest task while `work` is done, how many took longer than `LONG`, all of them together,
   * and of how many elements each pass over the styles computed the style.
   */
  async during(work) {
    const events = [];
    const collect = ({ value }) => events.push(...value);
    this.#session.on("Tracing.dataCollected", collect);
    await this.#session.send("Tracing.start", {
      transferMode: "ReportEvents",
      traceConfig: { includedCategories: CATEGORIES },
    });
    const result = await work();
    const complete = new Promise((resolve) => this.#session.once("Tracing.tracingComplete", resolve));
    await this.#session.send("Tracing.end");
    await complete;
    this.#session.off("Tracing.dataCollected", collect);
    return { ...summary(events), result };
  }
}

/** Of the page's main thread. */
function summary(events) {
  const main = new Set(events.filter(isMainThread).map(threadOf));
  const own = events.filter((event) => event.ph === "X" && main.has(threadOf(event)));
  const tasks = own.filter(({ name }) => /RunTask$/.test(name));
  const longest = tasks.reduce((one, other) => (cpuOf(other) > cpuOf(one) ? other : one), tasks[0]);
  return {
    longest: { duration: longest.dur / 1000, cpu: cpuOf(longest), parts: partsOf(longest, own) },
    above: tasks.filter((task) => cpuOf(task) > LONG).length,
    total: tasks.reduce((sum, task) => sum + cpuOf(task), 0),
    restyled: own.filter(({ name }) => name === "UpdateLayoutTree").map(({ args }) => args.elementCount ?? 0),
  };
}

const threadOf = ({ pid, tid }) => `${pid} ${tid}`;
const isMainThread = ({ name, args }) => name === "thread_name" && args.name === "CrRendererMain";
/** The time that the processor spent on it: what else the machine does is not in it. */
const cpuOf = ({ dur, tdur = dur }) => Math.min(dur, tdur) / 1000;

/** What a task was spent on: scripts, styles, layout, paint. */
function partsOf({ ts, dur, pid, tid }, events) {
  const parts = {};
  for (const event of events) {
    if (
      !/^(?:FunctionCall|FireAnimationFrame|UpdateLayoutTree|Layout|PrePaint|Paint|Layerize|MinorGC|MajorGC)$/.test(
        event.name,
      )
    )
      continue;
    if (event.pid !== pid || event.tid !== tid || event.ts < ts || event.ts > ts + dur) continue;
    parts[event.name] = Math.round((parts[event.name] ?? 0) + cpuOf(event));
  }
  return parts;
}
