import { icon } from "./icons.js";

// The icons of the parts that are loaded when they are needed. icons.tsx is loaded at once.

/** A box, for the archive. */
export const ArchiveIcon = icon(<path d="M2.5 3.25h11v3h-11Zm1 3v6.5h9v-6.5M6.5 9h3" />);
/** An open book, for sources. */
export const BookIcon = icon(
  <path d="M8 4.25C6.5 3 4.5 2.75 2 2.75v9.5c2.5 0 4.5.25 6 1.25 1.5-1 3.5-1.25 6-1.25v-9.5c-2.5 0-4.5.25-6 1.5Zm0 0v9.25" />,
);
/** An arrow back. */
export const BackIcon = icon(<path d="M13 8H3.5M7.5 3.75 3.25 8l4.25 4.25" />);
/** Lines under a lens, for the inspector. */
export const InspectIcon = icon(
  <path d="M2.5 3.5h11M2.5 8H7m-4.5 4.5H7m6.5 1-1.75-1.75m.75-2.25a2.25 2.25 0 1 1-4.5 0 2.25 2.25 0 0 1 4.5 0Z" />,
);
/** An arrow into a tray, for saving a file. */
export const DownloadIcon = icon(<path d="M8 2.5v7.75M4.75 7.25 8 10.5l3.25-3.25M2.75 13.25h10.5" />);
/** An eye, for what the assistant sees. */
export const EyeIcon = icon(
  <>
    <path d="M1.75 8S4 3.75 8 3.75 14.25 8 14.25 8 12 12.25 8 12.25 1.75 8 1.75 8Z" />
    <circle cx="8" cy="8" r="1.75" />
  </>,
);
/** A keyboard. */
export const KeyboardIcon = icon(
  <>
    <rect x="1.75" y="4" width="12.5" height="8" rx="1.75" />
    <path d="M4.5 6.75h.01M7 6.75h.01M9.5 6.75h.01M11.75 6.75h.01M5 9.5h6" />
  </>,
);
/** A drawing pin. */
export const PinIcon = icon(<path d="M5.75 2.5h4.5M6.5 2.5v4L4.25 9.25h7.5L9.5 6.5v-4M8 9.25v4.25" />);
/** A magnifying glass. */
export const SearchIcon = icon(
  <>
    <circle cx="7" cy="7" r="4.25" />
    <path d="m10.25 10.25 3 3" />
  </>,
);
/** An arrow out of a tray, for sharing. */
export const ShareIcon = icon(<path d="M8 10.25V2.5M4.75 5.75 8 2.5l3.25 3.25M3 8.5v5h10v-5" />);
/** A bin, for deleting. */
export const TrashIcon = icon(
  <path d="M2.75 4.25h10.5M6 4V2.5h4V4M4 4.5l.6 8.75h6.8L12 4.5M6.75 7v3.75M9.25 7v3.75" />,
);
/** An at sign, for mentions. */
export const AtIcon = icon(
  <path d="M10.5 8a2.5 2.5 0 1 1-5 0 2.5 2.5 0 0 1 5 0Zm0 0v1c0 1 .5 1.75 1.5 1.75S13.75 9.75 13.75 8A5.75 5.75 0 1 0 11 12.9M10.5 8V5.5" />,
);
/** A slash, for commands. */
export const SlashIcon = icon(<path d="m10.25 3-4.5 10" />);
/** A sheet of paper. */
export const FileIcon = icon(<path d="M9.25 1.75h-5v12.5h7.5V4.25Zm0 0v2.5h2.5" />);
/** A microphone, for dictating. */
export const MicrophoneIcon = icon(
  <>
    <rect x="5.75" y="1.75" width="4.5" height="7.5" rx="2.25" />
    <path d="M3.25 7.5a4.75 4.75 0 0 0 9.5 0M8 12.25v2" />
  </>,
);
/** A paper clip, for attachments. */
export const PaperclipIcon = icon(
  <path d="m12.75 7.25-5 5a3 3 0 0 1-4.25-4.25l5.25-5.25a2 2 0 0 1 2.75 2.75L6.25 10.75a.9.9 0 0 1-1.25-1.25L9.75 4.75" />,
);
/** A line that goes on below, for wrapping. */
export const WrapIcon = icon(<path d="M2.5 4h11M2.5 8h8.25a2.25 2.25 0 0 1 0 4.5H8.5m1.5-2-2 2 2 2M2.5 12h2.5" />);
