import type { ReactNode } from "react";

/**
 * 16 px, 1.75 stroke, in the colour of the text; decorative, the control around it has the name.
 */
export function icon(paths: ReactNode, size = 16) {
  return function Icon() {
    return (
      <svg
        className="ps-icon"
        viewBox="0 0 16 16"
        width={size}
        height={size}
        fill="none"
        stroke="currentColor"
        strokeWidth={1.75}
        strokeLinecap="round"
        strokeLinejoin="round"
        aria-hidden="true"
        focusable="false"
      >
        {paths}
      </svg>
    );
  };
}

/** A cross. */
export const CloseIcon = icon(<path d="m4 4 8 8m0-8-8 8" />);
/** Lines of a list, for the history. */
export const ListIcon = icon(<path d="M2.75 4h10.5M2.75 8h10.5M2.75 12h6" />);
/** Three dots, for a menu. */
export const MoreIcon = icon(<path d="M3.5 8h.01M8 8h.01M12.5 8h.01" strokeWidth={2.5} />);
/** A plus, for something new. */
export const PlusIcon = icon(<path d="M8 3v10M3 8h10" />);
/** An arrow up, for sending. */
export const ArrowUpIcon = icon(<path d="M8 13V3.5M3.75 7.5 8 3.25l4.25 4.25" />);
/** An arrow down, to the end. */
export const ArrowDownIcon = icon(<path d="M8 3v9.5M3.75 8.5 8 12.75l4.25-4.25" />);
/** A square, for stopping. */
export const StopIcon = icon(<rect x="4.25" y="4.25" width="7.5" height="7.5" rx="1.25" fill="currentColor" />);
/** An angle that points to what opens. */
export const ChevronIcon = icon(<path d="m6 3.75 4.25 4.25L6 12.25" />);
/** A tick: done. */
export const CheckIcon = icon(<path d="m3.25 8.5 3.25 3.25 6.25-7" />);
/** A bolt, for an action. */
export const BoltIcon = icon(<path d="M9 1.75 3.5 9H8l-1 5.25L12.5 7H8Z" />);
/** A pencil, for changing something. */
export const PencilIcon = icon(<path d="m2.75 13.25.75-3 7.5-7.5 2.25 2.25-7.5 7.5ZM9.25 4.5l2.25 2.25" />);
const thumb = "M5 7.25 7.75 2c1 0 1.5.75 1.5 1.5v2.75h3.5l-.75 6.5H5Zm0 0H2.5v5.5H5";
/** A thumb up. */
export const ThumbUpIcon = icon(<path d={thumb} />);
/** A thumb down. */
export const ThumbDownIcon = icon(<path d={thumb} transform="rotate(180 8 8)" />);
/** Two sheets, for copying. */
export const CopyIcon = icon(
  <>
    <rect x="5.5" y="5.5" width="8" height="8" rx="1.75" />
    <path d="M10.5 2.75h-6A1.75 1.75 0 0 0 2.75 4.5v6" />
  </>,
);
/** An exclamation mark, for a problem. */
export const AlertIcon = icon(
  <>
    <circle cx="8" cy="8" r="6" />
    <path d="M8 5v3.5M8 11h.01" />
  </>,
);
/** A crossed circle, for what was not done. */
export const BlockedIcon = icon(
  <>
    <circle cx="8" cy="8" r="6" />
    <path d="m3.9 3.9 8.2 8.2" />
  </>,
);
/** A clock, for what waits. */
export const ClockIcon = icon(
  <>
    <circle cx="8" cy="8" r="6" />
    <path d="M8 4.75V8l2 1.5" />
  </>,
);
/** A ring that turns, for what runs. */
export const SpinnerIcon = icon(<path className="ps-spin" d="M8 2.25A5.75 5.75 0 1 1 2.25 8" />);
/** A round arrow, for doing something again. */
export const RetryIcon = icon(<path d="M13 8a5 5 0 1 1-1.6-3.67M13 2.5v2.75h-2.75" />);
/** A picture, for an image that is not loaded. */
export const ImageIcon = icon(
  <>
    <rect x="2.25" y="2.75" width="11.5" height="10.5" rx="1.75" />
    <path d="m2.75 11 3-3 2.5 2.5 2-2 3 2.75M10.25 5.75h.01" />
  </>,
);
/** A bulb, for reasoning. */
export const BulbIcon = icon(
  <path d="M6 13.75h4M5.5 10.5c-1.1-.8-1.75-1.95-1.75-3.25a4.25 4.25 0 0 1 8.5 0c0 1.3-.65 2.45-1.75 3.25-.35.25-.5.5-.5.9h-4c0-.4-.15-.65-.5-.9Z" />,
);
/** A speech bubble, for a question. */
export const AskIcon = icon(<path d="M3.5 3.25v3A2.25 2.25 0 0 0 5.75 8.5h6.75m0 0L9.75 5.75M12.5 8.5l-2.75 2.75" />);

const spark = (
  <path
    d="M8 1.75c.5 3.3 2.2 5 5.75 6.25C10.2 9.25 8.5 10.95 8 14.25 7.5 10.95 5.8 9.25 2.25 8 5.8 6.75 7.5 5.05 8 1.75Z"
    fill="currentColor"
    stroke="none"
  />
);
/** The mark of the assistant. */
export const SparkIcon = icon(spark);
/** The assistant's mark on the button that opens it. */
export const LauncherIcon = icon(spark, 22);
