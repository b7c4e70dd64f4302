/** Something that holds a part for each extension. */
export interface Extensible {
  /**
   * For extensions of the SDK: the part of this client that `key` names. The first call makes the
   * part; later ones return it. It lives as long as the client. Write one function for each part,
   * such as `commandsOf`, and do not export its key.
   *
   * @example
   * const BOOKMARKS = Symbol("bookmarks");
   * const makeBookmarks = () => new Map<string, string>();
   * export const bookmarksOf = (client: PagesideClient) =>
   *   client.extension(BOOKMARKS, makeBookmarks);
   */
  extension<Part>(key: symbol, make: (client: this) => Part): Part;
}
