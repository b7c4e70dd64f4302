import { icon } from "./icons.js";

export const ArchiveIcon = icon(<path d="M2.5 3.25h11v3h-11Zm1 3v6.5h9v-6.5M6.5 9h3" />);
export const BackIcon = icon(<path d="M13 8H3.5M7.5 3.75 3.25 8l4.25 4.25" />);
export const DownloadIcon = icon(<path d="M8 2.5v7.75M4.75 7.25 8 10.5l3.25-3.25M2.75 13.25h10.5" />);
export const EyeIcon = icon(
  <>
    <path d="M1.75 8S4 3.75 8 3.75 14.25 8 14.25 8 12 12.25 8 12.25 1.75 8 1.75 8Z" />
    <circle cx="8" cy="8" r="1.75" />
  </>,
);
export const KeyboardIcon = icon(
  <>
    <rect x="1.75" y="4" width="12.5" height="8" rx="1.75" />
    <path d="M4.5 6.75h.01M7 6.75h.01M9.5 6.75h.01M11.75 6.75h.01M5 9.5h6" />
  </>,
);
export const SearchIcon = icon(
  <>
    <circle cx="7" cy="7" r="4.25" />
    <path d="m10.25 10.25 3 3" />
  </>,
);
export const TrashIcon = icon(
  <path d="M2.75 4.25h10.5M6 4V2.5h4V4M4 4.5l.6 8.75h6.8L12 4.5M6.75 7v3.75M9.25 7v3.75" />,
);
