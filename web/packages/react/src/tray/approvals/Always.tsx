import type { AllowanceOffer, Approval, Question } from "@pageside/core";
import { useId, useState } from "react";
import { useQuestionLabels } from "../../labels/questions.js";
import { Button } from "../../ui/Button.js";
import { humanize } from "../../ui/format.js";
import { Choice } from "./Inputs.js";
import { ANY_ARGUMENTS } from "./question.js";

/** What `always` allows beyond the same call in the same thread. */
type Terms = NonNullable<Approval["allowance"]>;

interface AlwaysProps {
  /** What is offered. */
  allowance: NonNullable<Question["allowance"]>;
  /** What would run, as it is called on screen. */
  tool: string;
  onClick: (chosen: Pick<Approval, "allowance">) => void;
}

/** Approves the same call from now on, and says exactly what that allows. */
export function Always({ allowance, tool, onClick }: AlwaysProps) {
  const labels = useQuestionLabels();
  const hintId = useId();
  const [terms, setTerms] = useState<Terms>();
  const offer = allowance.scope === "thread" ? allowance : undefined;
  const hasTerms = (offer?.userMaxAges?.length ?? 0) + (offer?.openArgs?.length ?? 0) > 0;
  return (
    <div className="ps-always ps-stack ps-tight">
      <Button aria-describedby={terms ? undefined : hintId} onClick={() => onClick(terms ? { allowance: terms } : {})}>
        {terms ? labels.alwaysFor : labels.alwaysIn(allowance.scope)}
      </Button>
      {!terms && (
        <p className="ps-muted ps-text-xs" id={hintId} dir="auto">
          {labels.alwaysHint(tool, offer && hours(offer.maxAge))}
        </p>
      )}
      {offer && hasTerms && <AllowanceTerms offer={offer} terms={terms} onChange={setTerms} />}
    </div>
  );
}

interface AllowanceTermsProps {
  offer: AllowanceOffer;
  terms: Terms | undefined;
  onChange: (terms: Terms) => void;
}

const hours = (seconds: number) => Math.round(seconds / 3600);

/**
 * Chooses where and how long a call is allowed, and with which arguments left open, among what the
 * server offers.
 */
function AllowanceTerms({ offer, terms, onChange }: AllowanceTermsProps) {
  const labels = useQuestionLabels();
  const { scope, maxAge, openArgs = [] } = terms ?? { scope: offer.scope, maxAge: offer.maxAge };
  const choices: Terms[] = [
    { scope: "thread", maxAge: offer.maxAge },
    ...(offer.userMaxAges ?? []).map((maxAge) => ({ scope: "user" as const, maxAge })),
  ];
  const selected = choices.findIndex((each) => each.scope === scope && each.maxAge === maxAge);
  const toggle = (name: string, isOpen: boolean) =>
    onChange({ scope, maxAge, openArgs: isOpen ? [...openArgs, name] : openArgs.filter((each) => each !== name) });
  return (
    <div className="ps-always-terms ps-stack ps-tight">
      <select
        className="ps-text-field"
        aria-label={labels.alwaysFor}
        value={selected}
        onChange={({ target }) => onChange({ ...choices[Number(target.value)]!, openArgs })}
      >
        {choices.map(({ scope, maxAge }, index) => (
          <option key={index} value={index}>
            {labels.alwaysWithin(scope, hours(maxAge))}
          </option>
        ))}
      </select>
      {(offer.openArgs ?? []).map((name) => (
        <Choice key={name} isChosen={openArgs.includes(name)} onChange={(isOpen) => toggle(name, isOpen)}>
          {name === ANY_ARGUMENTS ? labels.alwaysAnyDetails : labels.alwaysAnyValue(humanize(name))}
        </Choice>
      ))}
    </div>
  );
}
