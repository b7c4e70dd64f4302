import type { Message, PagesideClient, ThreadSnapshot } from "@pageside/core";

/** How long to wait. */
export interface WaitOptions {
  /** Milliseconds after which waiting is given up. Default 5,000, or what `configure` says. */
  timeout?: number;
}

let patience = 5000;

/**
 * Sets the default timeout of waiting for all tests of a file: more on machines that are busy.
 *
 * @example
 * configure({ timeout: 30_000 }); // in a set-up file of the test runner
 */
export function configure({ timeout }: Required<WaitOptions>): void {
  patience = timeout;
}

// The machine's, taken before a test runner replaces them: timeouts must work under fake timers,
// too.
const { setTimeout: later, clearTimeout: forget } = globalThis;

/**
 * Resolves when the client is idle: no run, no tool, and no message that will be sent by itself.
 * Waiting for the user, as for an approval, counts as idle. Rejects after the timeout with what is
 * still going on.
 *
 * @example
 * button.click();
 * await waitForIdle(client);
 */
export function waitForIdle(client: PagesideClient, { timeout = patience }: WaitOptions = {}): Promise<void> {
  return new Promise((resolve, reject) => {
    const check = () => {
      if (!isIdle(client.getSnapshot())) return;
      end();
      resolve();
    };
    const timer = later(() => {
      end();
      const { status, connection, queue } = client.getSnapshot();
      const calls = Object.values(client.getSnapshot().toolCalls).filter(({ endedAt }) => endedAt === undefined);
      const tools = calls.map(({ name, status: of }) => `${name} ${of}`).join(", ") || "none";
      reject(new Error(`still not idle after ${timeout} ms: status ${status}, connection ${connection}, ${queue.length} queued, open tool calls: ${tools}`)); // prettier-ignore
    }, timeout);
    const unsubscribe = client.subscribe(check);
    function end(): void {
      forget(timer);
      unsubscribe();
    }
    later(check, 0); // by then, what a click began has started
  });
}

/** Reports whether nothing goes on. */
export function isIdle({ status, loading, queue, queueHeld }: ThreadSnapshot): boolean {
  const isResting = status === "idle" || status === "error";
  return isResting && !loading && (queue.length === 0 || queueHeld);
}

/** The text of the assistant's last message that has one; empty if there is none. */
export function lastAnswer({ messages }: Pick<ThreadSnapshot, "messages">): string {
  const answer = messages.findLast((message): message is Message & { role: "assistant" } => {
    return message.role === "assistant" && Boolean(message.content);
  });
  return typeof answer?.content === "string" ? answer.content : "";
}
