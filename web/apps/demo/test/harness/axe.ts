import axe from "axe-core";
import type { Page } from "playwright-core";

type Axe = typeof axe;

/** The accessibility rules the page breaks, one line each; empty if there are none. */
export async function violations(page: Page): Promise<string[]> {
  await settled(page);
  // Evaluated rather than added as a script, which the page's content security policy would refuse.
  await page.evaluate(axe.source);
  return page.evaluate(async () => {
    const { axe } = window as unknown as { axe: Axe };
    const results = await axe.run(document, {
      resultTypes: ["violations"],
      runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    });
    return results.violations.flatMap(({ id, help, nodes }) =>
      nodes.map((node) => `${id}: ${help}: ${node.target.join(" ")} ${node.any[0]?.message ?? ""}`),
    );
  });
}

/** Colours are measured at the end of movements that have one. */
async function settled(page: Page): Promise<void> {
  await page.evaluate(() =>
    Promise.all(
      document
        .getAnimations()
        .filter((animation) => animation.effect?.getComputedTiming().endTime !== Infinity)
        .map((animation) => animation.finished.catch(() => undefined)),
    ),
  );
}
