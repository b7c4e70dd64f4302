import { useDynamicContext } from "@pageside/react";
import { useEffect, useRef, type ReactNode } from "react";
import { AskButton } from "../../components/AskButton.tsx";
import { Icon } from "../../components/Icon.tsx";
import { Glyph } from "../../shell/Glyph.tsx";
import { Link } from "../../shell/Link.tsx";
import { researchApi } from "../api.ts";
import { paths } from "../routes.ts";
import { useLoad } from "../state/use-load.ts";
import { statusLabel } from "../state/trial-labels.ts";
import type { Trial } from "../types.ts";
import { plainTitle } from "../ui/text.ts";
import { Failed, RowsSkeleton } from "../ui/States.tsx";
import "../../components/detail.css";

/** One trial, over the table. Escape closes it and gives the focus back to its row. */
export function TrialDetail({ nct, onClose }: { nct: string; onClose(): void }) {
  const { data: trial, error, reload } = useLoad(nct, (signal) => researchApi.trial(nct, signal));
  const panel = useRef<HTMLElement>(null);
  useEffect(() => {
    panel.current?.focus({ preventScroll: true });
    return () => document.querySelector<HTMLElement>(`[data-nct="${nct}"]`)?.focus({ preventScroll: true });
  }, [nct]);
  return (
    <aside
      ref={panel}
      className="detail trial-detail"
      aria-label="Trial"
      tabIndex={-1}
      onKeyDown={(event) => {
        if (event.key === "Escape") onClose();
      }}
    >
      <header className="detail-head">
        <h2 className="detail-title">
          Trial <span className="muted mono">{nct}</span>
        </h2>
        <span className="spring" />
        <button type="button" className="icon-button" aria-label="Close trial" onClick={onClose}>
          <Icon name="cross" />
        </button>
      </header>
      <div className="detail-body" tabIndex={0} role="region" aria-label="Details">
        {error && <Failed what="trial" error={error} retry={reload} />}
        {!trial && !error && <RowsSkeleton rows={5} />}
        {trial && <Details trial={trial} />}
      </div>
    </aside>
  );
}

function Details({ trial }: { trial: Trial }) {
  const { title, summary, articles, url } = trial;
  useDynamicContext({ description: "Research: open trial", source: "Research", value: trial });
  return (
    <div className="trial-body">
      <h3 className="trial-title">{title}</h3>
      <div className="article-actions">
        <AskButton question="Explain this trial">Explain</AskButton>
        {/^https:\/\/(?:www\.)?clinicaltrials\.gov\//.test(url) && (
          <a className="button" href={url} target="_blank" rel="noreferrer">
            ClinicalTrials.gov
            <Glyph name="external" size={13} />
          </a>
        )}
      </div>
      <dl className="facts">
        <Fact label="Status">{trial.statusLabel}</Fact>
        <Fact label="Phase">{trial.phase}</Fact>
        <Fact label="Type">{trial.studyType && statusLabel(trial.studyType)}</Fact>
        <Fact label="Conditions">{trial.conditions.join(", ")}</Fact>
        <Fact label="Interventions">{trial.interventions.join(", ")}</Fact>
        <Fact label="Sponsor">{[trial.sponsor, ...trial.collaborators].filter(Boolean).join(", ")}</Fact>
        <Fact label="Dates">{[trial.start, trial.completion].filter(Boolean).join(" to ")}</Fact>
        <Fact label="Age">{trial.age && statusLabel(trial.age)}</Fact>
        <Fact label="Design">{trial.design.replaceAll("|", " · ")}</Fact>
      </dl>
      {summary && (
        <>
          <h4>Summary</h4>
          <p>{summary}</p>
        </>
      )}
      <Outcomes title="Primary outcomes" outcomes={trial.primaryOutcomes} />
      <Outcomes title="Secondary outcomes" outcomes={trial.secondaryOutcomes} />
      {articles.length > 0 && (
        <>
          <h4>Articles in the library</h4>
          <ul className="card-articles">
            {articles.map(({ pmid, title: name, journal, date }) => (
              <li key={pmid}>
                <Link href={paths.article(pmid)}>{plainTitle(name)}</Link>
                <span className="muted">
                  {journal} · {date}
                </span>
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  if (!children) return null;
  return (
    <div>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Outcomes({ title, outcomes }: { title: string; outcomes: readonly string[] }) {
  if (outcomes.length === 0) return null;
  return (
    <>
      <h4>{title}</h4>
      <ul className="outcomes">
        {outcomes.map((outcome) => (
          <li key={outcome}>{outcome}</li>
        ))}
      </ul>
    </>
  );
}
