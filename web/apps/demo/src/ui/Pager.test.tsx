import { renderToStaticMarkup } from "react-dom/server";
import { expect, it } from "vitest";
import { Pager } from "./Pager.tsx";

const shown = (page: number) =>
  renderToStaticMarkup(
    <Pager
      page={page}
      pageSize={50}
      total={12_345}
      sizes={[25, 50]}
      most={10_000}
      onPage={() => undefined}
      onPageSize={() => undefined}
    />,
  );
const next = (html: string) => /<button[^>]*Next page[^>]*>/.exec(html)?.[0];

it("ends where the server does, and says so", () => {
  expect(shown(200)).toContain("of 12,345");
  expect(next(shown(200))).toContain("disabled");
  expect(next(shown(200))).toContain("Only the first 10,000 rows can be paged through");
  expect(next(shown(199))).not.toContain("disabled");
});
