import { render, screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { floods } from "../../dev/floods.js";
import { Markdown } from "./Markdown.js";

const links = floods["[a](http://x/)"]!(40_000);

it("says where something is plain, not while it is written", async () => {
  const { container, rerender } = render(<Markdown source={links} streaming />);
  expect(container.querySelectorAll("a")).toHaveLength(0);
  expect(screen.queryByRole("note")).toBeNull();
  rerender(<Markdown source={links} />);
  expect((await screen.findByRole("note")).textContent).toContain("shown as they were written");
});

it("says nothing where nothing is", async () => {
  render(<Markdown source="Some **words**" />);
  await new Promise(requestAnimationFrame);
  expect(screen.queryByRole("note")).toBeNull();
});
