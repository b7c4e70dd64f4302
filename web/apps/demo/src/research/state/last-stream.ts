const key = "research.stream";

/** The stream the user worked on last in this tab: where a search goes that was made elsewhere. */
export const lastStream = {
  read(): string {
    try {
      return sessionStorage.getItem(key) ?? "1";
    } catch {
      return "1";
    }
  },
  write(id: string): void {
    try {
      sessionStorage.setItem(key, id);
    } catch {
      // Then it is the first one.
    }
  },
};
