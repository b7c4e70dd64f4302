/** What can be open over the conversation. */
export type TrayPanel = "menu" | "history" | "sees" | "shortcuts" | "rename";
