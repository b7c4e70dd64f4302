/** What a client asks, and the user who answers. */
import type { Answer, PagesideClient, Question } from "../src/index.js";

/** The open question about a call of a tool of the page. */
export const askedAbout = (client: PagesideClient, toolCallId: string): Question | undefined =>
  client.getSnapshot().questions.find((each) => each.toolCallId === toolCallId);

/** Answers the open question about a call. */
export const answerCall = (client: PagesideClient, toolCallId: string, given?: Answer) =>
  client.answer(askedAbout(client, toolCallId)?.id ?? "none", given);

/** Shows the questions to a user who answers each at once with the next answer. */
export function answerWith(client: PagesideClient, ...answers: [Answer, ...Answer[]]): Question[] {
  const asked: Question[] = [];
  client.watchQuestions(() => {
    const [first] = client.getSnapshot().questions;
    if (!first || asked.includes(first)) return;
    asked.push(first);
    void client.answer(first.id, answers[Math.min(asked.length, answers.length) - 1]);
  });
  return asked;
}
