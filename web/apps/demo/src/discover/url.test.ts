import { describe, expect, it } from "vitest";
import { decodeView, encodeView } from "./url.ts";
import { defaultView, filterOps, pageSizes, type View } from "./view.ts";

describe("the view in the URL", () => {
  it("leaves out what is usual", () => {
    expect(encodeView(defaultView)).toBe("");
    expect(decodeView("")).toEqual(defaultView);
  });

  it("reads well", () => {
    const view: View = {
      ...defaultView,
      filters: [
        { field: "status", op: "is", value: "404" },
        { field: "path", op: "contains", value: "a~b", disabled: true },
      ],
      sort: { field: "bytes", dir: "desc" },
      page: 2,
    };
    expect(decodeURIComponent(encodeView(view))).toBe("?f=status~is~404&f=!path~contains~a~b&sort=bytes:desc&page=2");
  });

  it("comes back as it went in, whatever is in it", () => {
    const random = generator(7);
    for (let i = 0; i < 500; i++) {
      const view = randomView(random);
      expect(decodeView(encodeView(view))).toEqual(view);
    }
  });

  it.each([
    "?page=0",
    "?page=-1&size=7",
    "?page=1e9",
    "?from=yesterday&to=today",
    "?from=2015-05-18T00:00:00Z&to=2015-05-17T00:00:00Z",
    "?from=2015-05-18T00:00:00Z",
    "?f=status&f=status~like~4&f=~is~4",
    "?sort=bytes&sort=:desc",
    "?q=%20&row=",
    "?q=%E0%A4%A",
  ])("takes the usual for what makes no sense: %s", (search) => {
    const view = decodeView(search);
    expect({ ...view, query: defaultView.query }).toEqual(defaultView);
  });
});

/** Numbers from 0 up to below n, the same ones for the same seed. */
function generator(seed: number): (n: number) => number {
  let state = seed;
  return (n) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * n);
  };
}

function randomView(random: (n: number) => number): View {
  const alphabet = ["a", "~", "!", "&", "=", "%", " ", "+", "#", "ü", "😀", "'", "|", "1"];
  const text = (least: number) =>
    Array.from({ length: least + random(6) }, () => alphabet[random(alphabet.length)]).join("");
  const from = Date.UTC(2015, 4, 17) + random(1e8);
  return {
    query: `source=x ${text(1)}.`,
    time: random(2) ? { from: new Date(from).toISOString(), to: new Date(from + 1 + random(1e8)).toISOString() } : null,
    filters: Array.from({ length: random(4) }, () => ({
      field: "path",
      op: filterOps[random(filterOps.length)]!,
      value: text(0),
      ...(random(2) && { disabled: true }),
    })),
    sort: random(2) ? { field: "bytes", dir: random(2) ? "asc" : "desc" } : null,
    page: 1 + random(900),
    pageSize: pageSizes[random(pageSizes.length)]!,
    row: random(2) ? String(1 + random(1000)) : null,
  };
}
