/** What the user thought of the answers of a question. */
import { listMessages, type Feedback, type ThreadMessage } from "./api.ts";
import { h } from "./dom.ts";

/** The ratings of what runs have answered. The messages are those of the caller's own thread. */
export function ratingsOf(messages: readonly ThreadMessage[], runIds: readonly string[]): Feedback[] {
  return messages.flatMap(({ runId, feedback }) =>
    feedback && runId !== undefined && runIds.includes(runId) ? feedback : [],
  );
}

/** Reads the ratings; none if the thread is gone. */
export const readRatings = (threadId: string, runIds: readonly string[]) =>
  listMessages(threadId)
    .then((messages) => ratingsOf(messages, runIds))
    .catch(() => []);

/** The ratings, with their reasons and comments. */
export const feedbackView = (ratings: readonly Feedback[]) =>
  ratings.map(({ rating, comment, reason, reasons = [] }) => {
    const said = [...reasons, reason, comment].filter(Boolean).join(" · ");
    return h(
      "p",
      { class: "feedback" },
      rating === 0
        ? h("span", { class: "tag" }, "comment")
        : h(
            "span",
            { class: `tag ${rating > 0 ? "good" : "danger"}` },
            rating > 0 ? "👍 good answer" : "👎 bad answer",
          ),
      said ? ` ${said}` : "",
    );
  });
