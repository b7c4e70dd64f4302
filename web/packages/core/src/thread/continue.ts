/** Goes on with an answer that was cut off. */
import { cutBy } from "../protocol/pageside.js";
import { cutMessage, drive } from "./engine.js";
import type { Session } from "./session.js";

/** Goes on with a cut answer, by default the last one, in the same message. */
export function continueAnswer(session: Session, messageId?: string): Promise<void> {
  const { thread } = session;
  const done = session.enqueue(async () => {
    const last = thread.data.messages.findLast((message) => cutBy(message));
    const continues = cutMessage(session, messageId ?? last?.id);
    if (!continues || thread.data.unsent.length > 0) return; // another tab has gone on with it
    const active = session.begin([]);
    active.continues = continues;
    await drive(session, active);
  });
  session.setQueue(thread.data.queue, false);
  return done;
}
