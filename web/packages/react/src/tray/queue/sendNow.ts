import type { PagesideClient, QueuedMessage, SendOptions } from "@pageside/core";

/**
 * Stops the run and sends at once, before the queue, which follows in its order. If the user has
 * left the thread in the meantime, nothing is sent and the queue stays.
 */
export async function sendNow(client: PagesideClient, text: string, options?: SendOptions): Promise<void> {
  const { threadId } = client.getSnapshot();
  await client.stop();
  if (client.getSnapshot().threadId !== threadId) return;
  const waiting = await takeOut(client, client.getSnapshot().queue);
  const done = client.send(text, options);
  waiting.forEach((message) => void sendAgain(client, message));
  return done;
}

/** Sends a message of the queue at once, before the others. */
export async function sendQueuedNow(client: PagesideClient, id: string): Promise<void> {
  const message = client.getSnapshot().queue.find((each) => each.id === id);
  if (!message) return;
  await takeOut(client, [message]);
  const { text, ...options } = withoutId(message);
  await sendNow(client, text, options);
}

/**
 * Moves a message to another position in the queue. Only while a run goes on: a held queue would
 * be sent.
 */
export async function moveQueued(client: PagesideClient, from: number, to: number): Promise<void> {
  const { queue, queueHeld } = client.getSnapshot();
  const message = queue[from];
  if (!message || !queue[to] || queueHeld) return;
  const moved = queue.toSpliced(from, 1).toSpliced(to, 0, message);
  const first = Math.min(from, to);
  await takeOut(client, queue.slice(first));
  moved.slice(first).forEach((each) => void sendAgain(client, each));
}

async function takeOut(client: PagesideClient, messages: readonly QueuedMessage[]): Promise<readonly QueuedMessage[]> {
  await Promise.all(messages.map(({ id }) => client.removeQueued(id)));
  return messages;
}

function sendAgain(client: PagesideClient, message: QueuedMessage): Promise<void> {
  const { text, ...options } = withoutId(message);
  return client.send(text, options);
}

const withoutId = ({ id: _, ...message }: QueuedMessage) => message;
