/* Drawn on a 24 grid with a 1.75 stroke, shown at 16. */
const paths = {
  alert: "M12 8v5m0 3.5v.01M10.3 4.2 2.9 17a2 2 0 0 0 1.7 3h14.8a2 2 0 0 0 1.7-3L13.7 4.2a2 2 0 0 0-3.4 0Z",
  bookmark: "M7 4h10a1 1 0 0 1 1 1v15l-6-4-6 4V5a1 1 0 0 1 1-1Z",
  check: "m5 12.5 4.5 4.5L19 7.5",
  chevronDown: "m6 9 6 6 6-6",
  chevronLeft: "m15 6-6 6 6 6",
  chevronRight: "m9 6 6 6-6 6",
  clock: "M12 7v5l3 2m6-2a9 9 0 1 1-18 0 9 9 0 0 1 18 0Z",
  columns:
    "M4 5.5A1.5 1.5 0 0 1 5.5 4h13A1.5 1.5 0 0 1 20 5.5v13a1.5 1.5 0 0 1-1.5 1.5h-13A1.5 1.5 0 0 1 4 18.5v-13ZM9.3 4v16M14.7 4v16",
  copy: "M9 9h9.5A1.5 1.5 0 0 1 20 10.500V19a1 1 0 0 1-1 1h-8.500A1.5 1.5 0 0 1 9 18.500V9Zm-3.5 6A1.5 1.5 0 0 1 4 13.500v-8A1.5 1.5 0 0 1 5.5 4h8A1.5 1.5 0 0 1 15 5.5",
  cross: "M6 6l12 12M18 6 6 18",
  database:
    "M19.5 6c0 1.66-3.36 3-7.5 3S4.5 7.66 4.5 6 7.86 3 12 3s7.5 1.34 7.5 3Zm0 0v12c0 1.66-3.36 3-7.5 3s-7.5-1.34-7.5-3V6m15 6c0 1.66-3.36 3-7.5 3s-7.5-1.34-7.5-3",
  filter: "M4 5h16l-6 7.500V18l-4 2v-7.500L4 5Z",
  help: "M9.2 9.300a2.9 2.9 0 0 1 5.6.900c0 1.9-2.8 2.3-2.8 4M12 17.200v.010M21 12a9 9 0 1 1-18 0 9 9 0 0 1 18 0Z",
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
} as const;

export type IconName = keyof typeof paths;

interface IconProps {
  name: IconName;
  size?: number;
  spin?: boolean;
}

/** A decorative icon: what it stands beside or in says what it means. */
export function Icon({ name, size = 16, spin = false }: IconProps) {
  return (
    <svg
      className={spin ? "icon icon-spin" : "icon"}
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
