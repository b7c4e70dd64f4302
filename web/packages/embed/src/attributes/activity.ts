/** What a page is doing: the requests it waits for, and when it last changed. */

/** The activity of the page since it is watched. */
export interface Activity {
  /** How many requests are under way. */
  requests(): number;
  /** When a request began or ended, or the page changed. */
  last(): number;
  ignore(): void;
}

/**
 * Watches the page. Nothing reports a request that has begun, so the page's `fetch` and
 * `XMLHttpRequest` are wrapped meanwhile. Those of the assistant, at `url`, are not the page's.
 */
export function watchActivity(url: string): Activity {
  let requests = 0;
  let last = Date.now();
  let isIgnored = false;
  const happened = () => void (last = Date.now());
  const begin = () => {
    requests++;
    happened();
    return () => {
      requests--;
      happened();
    };
  };
  const observer = new MutationObserver(happened);
  observer.observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
  const own = new URL(url, location.href).href.replace(/\/?$/, "/v1/");
  const isOwn = (address: string) =>
    URL.canParse(address, location.href) && new URL(address, location.href).href.startsWith(own);
  const restore = [
    wrap(window, "fetch", (original) => (...args: Parameters<typeof fetch>) => {
      const answer = original.apply(window, args);
      const [to] = args;
      if (isIgnored || isOwn(to instanceof Request ? to.url : String(to))) return answer;
      const end = begin();
      answer.then(end, end);
      return answer;
    }),
    wrap(
      XMLHttpRequest.prototype,
      "send",
      (original) =>
        function (this: XMLHttpRequest, ...args) {
          if (!isIgnored) this.addEventListener("loadend", begin(), { once: true });
          original.apply(this, args);
        },
    ),
  ];
  return {
    requests: () => requests,
    last: () => last,
    ignore() {
      isIgnored = true;
      observer.disconnect();
      for (const undo of restore) undo();
    },
  };
}

/** Replaces a method. The function undoes that, unless the page has replaced it since. */
function wrap<Owner extends object, Name extends keyof Owner>(
  owner: Owner,
  name: Name,
  around: (original: Owner[Name]) => Owner[Name],
): () => void {
  const original = owner[name];
  const wrapped = around(original);
  owner[name] = wrapped;
  return () => {
    if (owner[name] === wrapped) owner[name] = original;
  };
}
