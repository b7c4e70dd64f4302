/* Drawn on a 24 grid with a 1.75 stroke, shown at 16. */
const paths = {
  alert: "M12 8v5m0 3.5v.01M10.3 4.2 2.9 17a2 2 0 0 0 1.7 3h14.8a2 2 0 0 0 1.7-3L13.7 4.2a2 2 0 0 0-3.4 0Z",
  bookmark: "M7 4h10a1 1 0 0 1 1 1v15l-6-4-6 4V5a1 1 0 0 1 1-1Z",
  check: "m5 12.5 4.5 4.5L19 7.5",
  chevronDown: "m6 9 6 6 6-6",
  chevronLeft: "m15 6-6 6 6 6",
  chevronRight: "m9 6 6 6-6 6",
  clock: "M12 7v5l3 2m6-2a9 9 0 1 1-18 0 9 9 0 0 1 18 0Z",
  cross: "M6 6l12 12M18 6 6 18",
  database:
    "M19.5 6c0 1.66-3.36 3-7.5 3S4.5 7.66 4.5 6 7.86 3 12 3s7.5 1.34 7.5 3Zm0 0v12c0 1.66-3.36 3-7.5 3s-7.5-1.34-7.5-3V6m15 6c0 1.66-3.36 3-7.5 3s-7.5-1.34-7.5-3",
  filter: "M4 5h16l-6 7.500V18l-4 2v-7.500L4 5Z",
  minus: "M6 12h12",
  moon: "M20 14.500A8.5 8.5 0 0 1 9.5 4a8.5 8.5 0 1 0 10.5 10.500Z",
  play: "M7 5.200v13.600a.6.6 0 0 0 .9.500l11-6.800a.6.6 0 0 0 0-1l-11-6.800a.6.6 0 0 0-.9.500Z",
  plus: "M12 6v12M6 12h12",
  search: "m20 20-4.3-4.300M18 11a7 7 0 1 1-14 0 7 7 0 0 1 14 0Z",
  sparkle: "M12 3.500c.6 4.9 3.6 7.9 8.5 8.5-4.9.6-7.9 3.6-8.5 8.5-.6-4.9-3.6-7.9-8.5-8.5 4.9-.6 7.9-3.6 8.5-8.500Z",
  spinner: "M12 3a9 9 0 1 1-9 9",
  sun: "M12 3v1.500m0 15V21m9-9h-1.500m-15 0H3m15.4-6.4-1.1 1.100M6.7 17.300l-1.1 1.100m12.8 0-1.1-1.100M6.7 6.7 5.6 5.600M16 12a4 4 0 1 1-8 0 4 4 0 0 1 8 0Z",
  sortUp: "M12 19V6m-5 5 5-5 5 5",
  sortDown: "M12 5v13m-5-5 5 5 5-5",
  undo: "M8 5 4 9l4 4M4 9h10.500a5 5 0 0 1 0 10H9",
  external: "M14 5h5v5m0-5-8 8M17 13.500V18a1 1 0 0 1-1 1H6a1 1 0 0 1-1-1V8a1 1 0 0 1 1-1h4.500",
  flask: "M10 4v6l-5 8.500A1 1 0 0 0 5.900 20h12.200a1 1 0 0 0 .9-1.500L14 10V4M8.500 4h7M7.500 15h9",
  gear: "M12 15.200a3.200 3.200 0 1 0 0-6.400 3.200 3.200 0 0 0 0 6.400Zm7.400-3.200c0-.5 0-.9-.1-1.300l2-1.500-2-3.400-2.300 1a7.400 7.400 0 0 0-2.300-1.300L14.400 3H9.600l-.3 2.500A7.400 7.400 0 0 0 7 6.800l-2.300-1-2 3.400 2 1.500a7.500 7.500 0 0 0 0 2.600l-2 1.500 2 3.400 2.300-1a7.400 7.400 0 0 0 2.300 1.300l.3 2.500h4.800l.3-2.500a7.400 7.400 0 0 0 2.300-1.300l2.300 1 2-3.400-2-1.500c.1-.400.1-.800.1-1.300Z",
  wand: "m5 19 9.500-9.500M16 4v3m0 5v.500M12.500 8H11m10 0h-2m-1-2.500-1 1m1 4-1-1M14 5.500l1 1",
} as const;

/** The icons there are. */
export type IconName = keyof typeof paths;

/** A decorative icon, hidden from screen readers. */
export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg
      className={name === "spinner" ? "icon icon-spin" : "icon"}
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill={name === "play" ? "currentColor" : "none"}
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
