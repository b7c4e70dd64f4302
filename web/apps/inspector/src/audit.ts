/** The audit log: a table with filters, whether its chain holds, and the details of an entry. */
import { listAudit, verifyAudit, type AuditQuery, type AuditRecord, type AuditReport } from "./api.ts";
import { counted, fill, h, number } from "./dom.ts";

const KINDS = [
  "tool.call",
  "approval",
  "allowance",
  "action",
  "instructions",
  "signin",
  "forged",
  "limit",
  "admin.read",
  "denied",
  "thread",
  "share",
  "forget",
  "key",
  "audit.purge",
];

const field = (label: string, control: HTMLElement) =>
  h("label", {}, h("span", { class: "quiet small" }, label), control);
const input = (name: string, type = "text") => h("input", { name, type, autocomplete: "off", spellcheck: "false" });

/** The page. It loads its rows at once. */
export function auditView(): HTMLElement {
  const badge = h("p", { class: "quiet", role: "status" }, "The chain has not been checked yet.");
  const body = h("tbody");
  const more = h("button", { type: "button", hidden: true, click: () => void load(true) }, "Older entries");
  const state = h("p", { class: "quiet pad", role: "status" });
  const form = h(
    "form",
    {
      class: "filters",
      "aria-label": "Filter",
      submit: (event) => {
        event.preventDefault();
        void load(false);
      },
    },
    field("From", input("from", "datetime-local")),
    field("To", input("to", "datetime-local")),
    field("User", input("subject")),
    field("Tool", input("tool")),
    field(
      "Kind",
      h(
        "select",
        { name: "kind" },
        h("option", { value: "" }, "all"),
        KINDS.map((kind) => h("option", {}, kind)),
      ),
    ),
    field("Thread", input("thread")),
    h("button", { type: "submit" }, "Show"),
    h("button", { type: "button", click: () => void check() }, "Verify"),
  ) as HTMLFormElement;
  let next: string | undefined;
  let asked = 0;

  async function load(older: boolean): Promise<void> {
    const turn = ++asked;
    state.textContent = "Loading …";
    try {
      const page = await listAudit({ ...queryOf(form), cursor: older ? next : undefined });
      if (turn !== asked) return;
      const rows = page.records.flatMap(rowsOf);
      if (older) body.append(...rows);
      else fill(body, ...rows);
      next = page.next;
      more.hidden = !next;
      state.textContent = body.childElementCount > 0 ? "" : next ? "None among the newest entries." : "No entries.";
    } catch (error) {
      if (turn !== asked) return;
      state.textContent = (error as Error).message;
    }
  }

  async function check(): Promise<void> {
    badge.className = "quiet";
    badge.textContent = "Checking …";
    try {
      showReport(badge, await verifyAudit());
    } catch (error) {
      badge.className = "bad";
      badge.textContent = (error as Error).message;
    }
  }

  void load(false);
  return h(
    "section",
    { class: "audit", "aria-label": "Audit log" },
    form,
    badge,
    h(
      "div",
      { class: "scroll", tabindex: 0, role: "region", "aria-label": "Entries" },
      h(
        "table",
        {},
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            ["Time", "User", "Kind", "Tool", "Decision", "Outcome", ""].map((name) => h("th", { scope: "col" }, name)),
          ),
        ),
        body,
      ),
      state,
      more,
    ),
  );
}

/** The filters of the form. Local times become UTC. */
export function queryOf(form: HTMLFormElement): AuditQuery {
  const query: AuditQuery = {};
  for (const [name, value] of new FormData(form)) {
    if (typeof value !== "string" || value.trim() === "") continue;
    const time = name === "from" || name === "to";
    query[name as keyof AuditQuery] = time ? new Date(value).toISOString() : value.trim();
  }
  return query;
}

function showReport(badge: HTMLElement, report: AuditReport): void {
  const unchanged = report.state !== "changed";
  badge.className = unchanged ? "good" : "bad";
  fill(
    badge,
    unchanged
      ? `✓ The chain holds: ${counted(report.rows, "row")}, ${report.sealed ? "sealed with a key" : "hashed, without a key"}. Whether its end was cut off, only "pageside audit verify" with the anchors shows.`
      : `✗ The log was changed: ${report.problems.map(({ day, seq, what }) => `row ${number(seq)}${day ? ` of ${day}` : ""}: ${what}`).join("; ")}`,
  );
}

/** The row of an entry, and a hidden one with its details. */
function rowsOf({ seq, hash, entry }: AuditRecord): HTMLElement[] {
  if (typeof entry === "string") {
    return [h("tr", {}, h("td", { colspan: 7, class: "bad" }, `Row ${seq} cannot be read: ${entry}`))];
  }
  const details = h(
    "tr",
    { hidden: true },
    h("td", { colspan: 7 }, h("pre", {}, JSON.stringify({ seq, ...entry, hash }, null, 2))),
  );
  const button = h(
    "button",
    {
      type: "button",
      "aria-expanded": "false",
      "aria-label": `Details of entry ${seq}`,
      click: () => {
        details.hidden = !details.hidden;
        button.setAttribute("aria-expanded", String(!details.hidden));
      },
    },
    "Details",
  );
  const row = h(
    "tr",
    {},
    h("td", { class: "num" }, new Date(entry.time).toLocaleString("en", { hour12: false })),
    h("td", {}, entry.subject ?? "–"),
    h("td", {}, h("code", {}, entry.kind)),
    h("td", {}, entry.tool ?? ""),
    h("td", {}, entry.decision ?? ""),
    h("td", {}, h("span", { class: `tag ${LOOKS[entry.outcome ?? ""] ?? ""}` }, entry.outcome ?? "")),
    h("td", {}, button),
  );
  return [row, details];
}

const LOOKS: Record<string, string> = {
  ok: "good",
  error: "danger",
  unknown: "danger",
  not_run: "warn",
  waiting: "warn",
};
