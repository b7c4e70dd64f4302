import { icon } from "../../ui/icons.js";

export const AtIcon = icon(
  <path d="M10.5 8a2.5 2.5 0 1 1-5 0 2.5 2.5 0 0 1 5 0Zm0 0v1c0 1 .5 1.75 1.5 1.75S13.75 9.75 13.75 8A5.75 5.75 0 1 0 11 12.9M10.5 8V5.5" />,
);
export const SlashIcon = icon(<path d="m10.25 3-4.5 10" />);
export const FileIcon = icon(<path d="M9.25 1.75h-5v12.5h7.5V4.25Zm0 0v2.5h2.5" />);
export const PaperclipIcon = icon(
  <path d="m12.75 7.25-5 5a3 3 0 0 1-4.25-4.25l5.25-5.25a2 2 0 0 1 2.75 2.75L6.25 10.75a.9.9 0 0 1-1.25-1.25L9.75 4.75" />,
);
