/* Icons that Discover has no use for, drawn like its own: on a 24 grid with a 1.75 stroke. */
const paths = {
  arrowRight: "M5 12h14m-6-6 6 6-6 6",
  book: "M12 6.500C10.300 5 8 4.500 4 4.500v13.500c4 0 6.300.500 8 2m0-13.500c1.700-1.500 4-2 8-2v13.500c-4 0-6.300.500-8 2m0-13.500v13.500",
  compare: "M8 4v16m8-16v16M4 8h4m8 0h4M4 16h4m8 0h4",
  external: "M14 5h5v5m0-5-8 8M17 13.500V18a1 1 0 0 1-1 1H6a1 1 0 0 1-1-1V8a1 1 0 0 1 1-1h4.500",
  flask: "M10 4v6l-5 8.500A1 1 0 0 0 5.900 20h12.200a1 1 0 0 0 .9-1.500L14 10V4M8.500 4h7M7.500 15h9",
  gear: "M12 15.200a3.200 3.200 0 1 0 0-6.400 3.200 3.200 0 0 0 0 6.400Zm7.400-3.200c0-.5 0-.9-.1-1.300l2-1.500-2-3.400-2.300 1a7.400 7.400 0 0 0-2.300-1.300L14.400 3H9.600l-.3 2.500A7.400 7.400 0 0 0 7 6.800l-2.300-1-2 3.400 2 1.500a7.500 7.500 0 0 0 0 2.600l-2 1.500 2 3.400 2.300-1a7.400 7.400 0 0 0 2.300 1.300l.3 2.500h4.800l.3-2.500a7.400 7.400 0 0 0 2.300-1.300l2.300 1 2-3.400-2-1.500c.1-.400.1-.800.1-1.300Z",
  layers: "m12 4 8.500 4.500L12 13 3.500 8.500 12 4Zm-8.500 9L12 17.500 20.500 13",
  report: "M7 4h7l4 4v11a1 1 0 0 1-1 1H7a1 1 0 0 1-1-1V5a1 1 0 0 1 1-1Zm7 0v4h4M9 12.500h6M9 16h6",
  wand: "m5 19 9.500-9.500M16 4v3m0 5v.500M12.500 8H11m10 0h-2m-1-2.500-1 1m1 4-1-1M14 5.500l1 1",
} as const;

export type GlyphName = keyof typeof paths;

/** A decorative icon: what it stands beside or in says what it means. */
export function Glyph({ name, size = 16 }: { name: GlyphName; size?: number }) {
  return (
    <svg
      className="icon"
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.75"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      <path d={paths[name]} />
    </svg>
  );
}
