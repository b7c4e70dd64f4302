/** What parts of its own can be kept with. */
export interface Extensible {
  /**
   * For extensions of the SDK: the part of this client that `key` names. The first call makes the
   * part, every later one returns the same, and it lives as long as the client. Write one function
   * for each part, as `commandsOf`, and keep its key to yourself.
   *
   * @example
   * const BOOKMARKS = Symbol("bookmarks");
   * export const bookmarksOf = (client: PagesideClient) => client.extension(BOOKMARKS, () => new Map<string, string>());
   */
  extension<Part>(key: symbol, make: (client: this) => Part): Part;
}
