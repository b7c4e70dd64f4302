import { useDynamicContext } from "@pageside/react";
import { AskButton } from "../ui/Button.tsx";
import { Flyout } from "../ui/Flyout.tsx";
import { Icon } from "../ui/Icon.tsx";
import { Failed, Loading } from "../ui/State.tsx";
import { useLoad } from "../ui/hooks.ts";
import { researchApi } from "./api.ts";
import { ArticleList } from "./cards.tsx";
import { statusLabel } from "./trial-view.ts";
import type { Trial } from "./types.ts";

/** One trial, over the table. */
export function TrialDetail({ nct, onClose }: { nct: string; onClose(): void }) {
  const { data: trial, error, reload } = useLoad(nct, (signal) => researchApi.trial(nct, signal));
  return (
    <Flyout label="Trial" id={nct} opener={`[data-nct="${nct}"]`} onClose={onClose}>
      {error && <Failed what="trial" error={error} retry={reload} />}
      {!trial && !error && <Loading />}
      {trial && <Details {...trial} />}
    </Flyout>
  );
}

function Details(trial: Trial) {
  useDynamicContext({ description: "Research: open trial", source: "Research", value: trial });
  const facts = {
    Status: trial.statusLabel,
    Phase: trial.phase,
    Type: statusLabel(trial.studyType),
    Conditions: trial.conditions.join(", "),
    Interventions: trial.interventions.join(", "),
    Sponsor: [trial.sponsor, ...trial.collaborators].filter(Boolean).join(", "),
    Dates: [trial.start, trial.completion].filter(Boolean).join(" to "),
    Age: statusLabel(trial.age),
    Design: trial.design.replaceAll("|", " · "),
  };
  return (
    <div className="trial-body card">
      <h3 className="trial-title">{trial.title}</h3>
      <div className="row">
        <AskButton question="Explain this trial">Explain</AskButton>
        {/^https:\/\/(?:www\.)?clinicaltrials\.gov\//.test(trial.url) && (
          <a className="button" href={trial.url} target="_blank" rel="noreferrer">
            ClinicalTrials.gov
            <Icon name="external" size={13} />
          </a>
        )}
      </div>
      <dl className="facts">
        {Object.entries(facts).map(([label, value]) => (
          <div key={label} hidden={!value}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <Outcomes title="Summary" texts={[trial.summary]} />
      <Outcomes title="Primary outcomes" texts={trial.primaryOutcomes} />
      <Outcomes title="Secondary outcomes" texts={trial.secondaryOutcomes} />
      {trial.articles.length > 0 && (
        <>
          <h4>Articles in the library</h4>
          <ArticleList articles={trial.articles} />
        </>
      )}
    </div>
  );
}

function Outcomes({ title, texts }: { title: string; texts: readonly string[] }) {
  const shown = texts.filter(Boolean);
  if (shown.length === 0) return null;
  return (
    <>
      <h4>{title}</h4>
      <ul className="outcomes">
        {shown.map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
    </>
  );
}
