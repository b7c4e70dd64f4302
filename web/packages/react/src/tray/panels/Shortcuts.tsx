import { useAssistantContext } from "../../context.js";
import { usePanelLabels } from "../../labels/panels.js";
import type { ShortcutName } from "../../labels/panelEnglish.js";

type Row = readonly [ShortcutName, ...string[]];

const groups: readonly { area: "page" | "tray" | "composer" | "history"; rows: readonly Row[] }[] = [
  {
    area: "tray",
    rows: [
      ["pane", "F6"],
      ["escape", "Esc"],
      ["history", "Mod+Shift+H"],
      ["sees", "Mod+."],
      ["find", "Mod+F"],
      ["title", "F2"],
      ["resize", "←", "→"],
      ["help", "?"],
    ],
  },
  {
    area: "composer",
    rows: [
      ["send", "Enter"],
      ["newLine", "Shift+Enter"],
      ["recall", "↑"],
      ["commands", "/"],
      ["mentions", "@"],
    ],
  },
  {
    area: "history",
    rows: [
      ["rows", "↑", "↓"],
      ["open", "Enter"],
      ["rename", "F2"],
      ["pin", "P"],
      ["delete", "Delete"],
      ["search", "/"],
    ],
  },
];

/** What needs a server that keeps the conversations. */
const KEPT: readonly ShortcutName[] = ["history", "title"];

/** The list of keyboard shortcuts. */
export function Shortcuts({ shortcut }: { shortcut: string | false }) {
  const labels = usePanelLabels();
  const { direct } = useAssistantContext("Shortcuts").client.identity;
  const page: readonly Row[] = shortcut ? [["focus", shortcut]] : [];
  const shown = direct ? groups.filter(({ area }) => area !== "history") : groups;
  return (
    <div className="ps-panel-body ps-text-md" tabIndex={0} role="group" aria-label={labels.shortcuts}>
      {[{ area: "page" as const, rows: page }, ...shown].map(
        ({ area, rows }) =>
          rows.length > 0 && (
            <section key={area} aria-label={labels.keysIn(area)}>
              <h3 className="ps-panel-title ps-text-xs">{labels.keysIn(area)}</h3>
              <dl className="ps-keymap">
                {rows
                  .filter(([name]) => !direct || !KEPT.includes(name))
                  .map(([name, ...keys]) => (
                    <div key={name}>
                      <dt>{labels.shortcutText(name)}</dt>
                      <dd>
                        {keys.map((key) => (
                          <kbd key={key}>{spell(key)}</kbd>
                        ))}
                      </dd>
                    </div>
                  ))}
              </dl>
            </section>
          ),
      )}
    </div>
  );
}

/** As the keyboard of this machine has it. */
function spell(keys: string): string {
  const isMac = /mac|iphone|ipad/i.test(navigator.platform);
  return keys
    .split(/\+(?!$)/)
    .map((key) => (key === "Mod" ? (isMac ? "⌘" : "Ctrl") : isMac && key === "Shift" ? "⇧" : key))
    .join(isMac ? "" : "+");
}
