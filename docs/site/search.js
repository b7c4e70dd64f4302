// Finds the sections that have every word typed, those with the words in the title first.
const root = document.currentScript.src.replace(/search\.js.*$/, "");
const input = document.querySelector("input[type=search]");
const list = document.querySelector("#found");
const MOST = 12;
let entries; // a promise of the index, once it is wanted

// The navigation is folded where it would stand before the text.
if (matchMedia("(max-width: 50rem)").matches) document.querySelector("nav details").open = false;

input.addEventListener("focus", () => void load());
input.addEventListener("input", () => void search());
document.addEventListener("keydown", (event) => {
  const isTyping = /^(input|textarea)$/i.test(event.target.tagName);
  if (event.key === "/" && !isTyping && !event.ctrlKey && !event.metaKey) {
    event.preventDefault();
    input.focus();
  }
  if (event.key === "Escape") close();
  if (event.key === "ArrowDown" || event.key === "ArrowUp") move(event);
});
document.addEventListener("click", (event) => {
  if (!event.target.closest("search")) close();
});

// A script and not JSON: pages opened from a folder may not fetch.
const load = () =>
  (entries ??= new Promise((resolve, reject) => {
    globalThis.searchIndex = resolve;
    const script = document.createElement("script");
    script.src = `${root}search-index.js`;
    script.onerror = reject;
    document.head.append(script);
  }));

async function search() {
  const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return close();
  const all = await load();
  const found = all.map((entry) => ({ entry, score: scoreOf(entry, words) })).filter(({ score }) => score > 0);
  found.sort((a, b) => b.score - a.score);
  list.replaceChildren(...(found.length ? found.slice(0, MOST).map(({ entry }) => shown(entry, words)) : [nothing()]));
  list.hidden = false;
}

/** 0 if a word is missing. A word counts most in the section's title, then in the page's. */
function scoreOf({ Title, Page, Text }, words) {
  let score = 0;
  for (const word of words) {
    const times = Text.toLowerCase().split(word).length - 1;
    const points = 20 * has(Title, word) + 8 * has(Page, word) + Math.min(times, 5);
    if (points === 0) return 0;
    score += points;
  }
  return score;
}

const has = (text, word) => (text.toLowerCase().includes(word) ? 1 : 0);

function shown({ Title, Page, Text, URL }, words) {
  const item = document.createElement("li");
  const link = document.createElement("a");
  link.href = root + URL;
  const page = document.createElement("small");
  page.textContent = Page === Title ? "" : Page;
  const text = document.createElement("p");
  const at = Text.toLowerCase().indexOf(words.find((word) => has(Text, word)) ?? "");
  text.textContent = (at > 40 ? "…" : "") + Text.slice(Math.max(0, at - 40), at + 120);
  link.append(Title, page, text);
  item.append(link);
  return item;
}

function nothing() {
  const item = document.createElement("li");
  item.className = "none";
  item.textContent = "Nothing found. Try fewer words.";
  return item;
}

function close() {
  list.hidden = true;
}

function move(event) {
  const links = [...list.querySelectorAll("a")];
  if (list.hidden || links.length === 0) return;
  event.preventDefault();
  const next = links.indexOf(document.activeElement) + (event.key === "ArrowDown" ? 1 : -1);
  (links[next] ?? input).focus();
}
