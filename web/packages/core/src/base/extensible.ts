/** Something that keeps parts for its extensions. */
export interface Extensible {
  /**
   * For extensions of the SDK: the part of this client that `key` names. The first call makes the
   * part, every later one returns the same, and it lives as long as the client. Write one function
   * for each part, as `commandsOf`, and keep its key to yourself.
   *
   * @example
   * const BOOKMARKS = Symbol("bookmarks");
   * const makeBookmarks = () => new Map<string, string>();
   * export const bookmarksOf = (client: PagesideClient) =>
   *   client.extension(BOOKMARKS, makeBookmarks);
   */
  extension<Part>(key: symbol, make: (client: this) => Part): Part;
}
