/** Links to a conversation: making them, and what their readers get. */
import { createPagesideClient, type Message, type PagesideClient } from "@pageside/core";
import { shareThread } from "@pageside/core/server";
import { scriptedAgent } from "@pageside/testing";
import { states } from "../../../packages/react/dev/states.js";
import { found } from "../../../packages/react/dev/panels.js";
import { button, one } from "./act.js";

/** A page of the owner, or of somebody with a link. */
export interface ShareScene {
  /** Makes the client. It may change the page's address, which is put back for the next state. */
  client: () => Promise<PagesideClient>;
  play: () => Promise<unknown>;
}

const messages = [...(states.answer?.messages ?? []), ...(states["cards-settled"]?.messages ?? []), ...(states.cards?.messages ?? [])]; // prettier-ignore
const called: Message[] = [
  { id: "su", role: "user", content: "And who asks for them?" },
  {
    id: "sa",
    role: "assistant",
    toolCalls: [{ id: "sc", type: "function", function: { name: "execute_ppl_query", arguments: "{}" } }],
  },
  { id: "sr", role: "tool", toolCallId: "sc", content: "" },
  { id: "st", role: "assistant", content: "One network: **203.0.113.0/24**." },
];

const agentOf = () =>
  scriptedAgent([{ reply: "…" }], {
    threads: [{ id: "t1", title: "Pages with the most 404s", messages: [...messages, ...called] }],
  });

const owner = () => Promise.resolve(createPagesideClient({ fetch: agentOf().fetch, threadId: "t1", memory: "none" }));

/** The client of somebody who follows a link, which `answer` may answer instead. */
async function reader(answer?: () => Response): Promise<PagesideClient> {
  const agent = agentOf();
  const { token } = await shareThread(createPagesideClient({ fetch: agent.fetch, memory: "none" }), "t1");
  const url = new URL(location.href);
  url.searchParams.set("pageside-shared", token);
  history.replaceState(null, "", url);
  const fetch: typeof globalThis.fetch = async (target, init) =>
    (String(target).includes("/shared/") && answer?.()) || agent.fetch(target, init);
  return createPagesideClient({ fetch, memory: "none" });
}

async function openPanel(): Promise<void> {
  await found(() => document.querySelector(".ps-turn"), "the conversation");
  (await button("More")).click();
  (
    await found(
      () =>
        [...document.querySelectorAll<HTMLElement>("[role=menuitem]")].find((each) => each.textContent === "Share…"),
      "the way to share",
    )
  ).click();
  await one(".ps-share");
}

const create = async (): Promise<void> => {
  const count = document.querySelectorAll(".ps-drawer li").length;
  (await button("Create link")).click();
  await found(() => document.querySelectorAll(".ps-drawer li").length > count, "the link");
};

const problem = () => one(".ps-drawer [role=alert]");

/** The pages, by the name of the scene. */
export const shareScenes: Record<string, ShareScene> = {
  share: { client: owner, play: openPanel },
  "share-created": {
    client: owner,
    play: async () => {
      await openPanel();
      await create();
      await create();
    },
  },
  "share-refused": {
    client: () => {
      const agent = agentOf();
      const refusal = { error: { code: "too_many_shares", message: "There are too many." } };
      const fetch: typeof globalThis.fetch = async (target, init) =>
        String(target).endsWith("/shares") && init?.method === "POST"
          ? Response.json(refusal, { status: 409 })
          : agent.fetch(target, init);
      return Promise.resolve(createPagesideClient({ fetch, threadId: "t1", memory: "none" }));
    },
    play: async () => {
      await openPanel();
      (await button("Create link")).click();
      await problem();
    },
  },
  shared: { client: () => reader(), play: () => one(".ps-drawer .ps-card") },
  "shared-ended": { client: () => reader(() => new Response("", { status: 404 })), play: problem },
  "shared-signed-out": { client: () => reader(() => new Response("", { status: 401 })), play: problem },
};
