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

  /** The longest task while `work` is done, and how many took longer than `LONG`. */
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

/** Of the thread of the page that did most. */
function summary(events) {
  const main = new Set(
    events
      .filter(({ name, args }) => name === "thread_name" && args.name === "CrRendererMain")
      .map(({ pid, tid }) => `${pid} ${tid}`),
  );
  const tasks = events
    .filter(({ name, ph, pid, tid }) => /RunTask$/.test(name) && ph === "X" && main.has(`${pid} ${tid}`))
    .map(({ dur, tdur = dur }) => ({ duration: dur / 1000, cpu: tdur / 1000 }));
  const longest = tasks.reduce((one, other) => (other.cpu > one.cpu ? other : one), { duration: 0, cpu: 0 });
  return { longest, above: tasks.filter(({ cpu }) => cpu > LONG).length };
}
