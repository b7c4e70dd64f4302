// Where an answer ends, and what stands around it: checks of the style sheet and the transcript
// that need a layout.

/** Below an answer that is in view to its end, suggestions alone are no reason for a button. */
export async function checkEnds(page, { show, at, frames }, check) {
  /** The room below the answer, and how much of the suggestions is out of view. */
  const room = () =>
    page.evaluate(() => {
      const end = document.querySelector(".ps-transcript").getBoundingClientRect().bottom;
      const bottom = (selector) => [...document.querySelectorAll(selector)].at(-1)?.getBoundingClientRect().bottom ?? 0;
      return { below: end - bottom(".ps-turn"), hidden: bottom(".ps-suggested") - end };
    });
  let paragraphs = 1;
  do await show("ends", "And then?", ++paragraphs);
  while (paragraphs < 60 && (await room()).below > 90);
  await page.evaluate(() => {
    const { messages } = globalThis.client.getSnapshot();
    const suggestedValues = ["one", "two", "three", "four", "five"].map((word) => {
      return { label: `What else is there to say of the page number ${word}?`, value: word };
    });
    const answer = { ...messages.at(-1), metadata: { pageside: { suggestedValues } } };
    globalThis.client.show({
      messages: [...messages.slice(0, -1), answer],
      status: "idle",
      streamingMessageId: undefined,
    });
  });
  await page.waitForSelector(".ps-suggested .ps-chip");
  await frames();
  const { below, hidden } = await room();
  check(`the answer ends in view, its suggestions do not (${below}, ${hidden})`, below >= 0 && hidden > 0);
  check("which needs no button to the end", (await at()).pill === undefined);
}

/** A tool that draws nothing takes no room, and nothing is cut off what has the focus. */
export async function checkLooks(page, check) {
  const { heights, before, focused } = await page.evaluate(async () => {
    const body = [...document.querySelectorAll(".ps-answer-body")].at(-1);
    const heights = [body.offsetHeight];
    const drawn = document.createElement("div");
    drawn.className = "ps-tool-custom ps-host";
    body.prepend(drawn);
    heights.push(body.offsetHeight);
    drawn.remove();
    const earlier = document.querySelectorAll(".ps-turn:not([data-last], [data-near], [data-gap])");
    const turn = [...earlier].findLast((each) => each.querySelector("button"));
    const clipped = () => getComputedStyle(turn).contentVisibility;
    const before = clipped();
    turn.scrollIntoView();
    turn.querySelector("button").focus();
    return { heights, before, focused: clipped() };
  });
  check(`a tool that draws nothing takes no room (${heights})`, heights[0] === heights[1]);
  check(
    `an earlier turn is cut off only where the focus is not (${before}, ${focused})`,
    before === "auto" && focused === "visible",
  );
}
