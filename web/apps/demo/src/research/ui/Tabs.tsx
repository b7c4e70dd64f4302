import { Link } from "../../shell/Link.tsx";

export interface Tab {
  href: string;
  label: string;
  current: boolean;
  count?: string;
}

/** Views of one thing, each with an address of its own. */
export function Tabs({ label, tabs, small = false }: { label: string; tabs: readonly Tab[]; small?: boolean }) {
  return (
    <nav className="tabs" data-small={small || undefined} aria-label={label}>
      {tabs.map((tab) => (
        <Link key={tab.href} href={tab.href} className="tab" aria-current={tab.current ? "page" : undefined}>
          {tab.label}
          {tab.count !== undefined && <span className="tab-count">{tab.count}</span>}
        </Link>
      ))}
    </nav>
  );
}
