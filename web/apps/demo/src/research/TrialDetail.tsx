import { AskButton } from "../ui/Button.tsx";
import { Flyout } from "../ui/Flyout.tsx";
import { useLoad } from "../ui/hooks.ts";
import { researchApi } from "./api.ts";
import { ArticleList } from "./cards.tsx";
import { Loaded, OutsideLink, useShown } from "./parts.tsx";
import { statusLabel } from "./trial-view.ts";
import type { Trial } from "./types.ts";

/** One trial, over the table. */
export function TrialDetail({ nct, onClose }: { nct: string; onClose(): void }) {
  const loaded = useLoad(nct, (signal) => researchApi.trial(nct, signal));
  return (
    <Flyout label="Trial" id={nct} opener={`[data-nct="${nct}"]`} onClose={onClose}>
      <Loaded what="trial" {...loaded}>
        {(trial) => <Details {...trial} />}
      </Loaded>
    </Flyout>
  );
}

function Details(trial: Trial) {
  useShown("Research: open trial", trial);
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
    <div className="card trial-body">
      <h3 className="trial-title">{trial.title}</h3>
      <div className="row">
        <AskButton question="Explain this trial">Explain</AskButton>
        {/^https:\/\/(?:www\.)?clinicaltrials\.gov\//.test(trial.url) && (
          <OutsideLink href={trial.url}>ClinicalTrials.gov</OutsideLink>
        )}
      </div>
      <dl className="stack tight">
        {Object.entries(facts)
          .filter(([, value]) => value)
          .map(([label, value]) => (
            <div key={label} className="fact">
              <dt className="muted">{label}</dt>
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
      <ul className="stack tight outcomes">
        {shown.map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
    </>
  );
}
