import { icon } from "../ui/icons.js";

// Of parts that are loaded when they are needed: icons.tsx is there at once.
export const WrapIcon = icon(<path d="M2.5 4h11M2.5 8h8.25a2.25 2.25 0 0 1 0 4.5H8.5m1.5-2-2 2 2 2M2.5 12h2.5" />);
