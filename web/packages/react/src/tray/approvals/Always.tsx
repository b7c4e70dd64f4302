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

const hours = (seconds: number) => Math.round(seconds / 3600);

/** Approves the same call from now on, and says exactly what that allows. */
export function Always({ allowance, tool, onClick }: AlwaysProps) {
  const labels = useQuestionLabels();
  const hintId = useId();
  const [terms, setTerms] = useState<Terms>();
  const offer = allowance.scope === "thread" ? allowance : undefined;
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
      {offer && <AllowanceTerms offer={offer} terms={terms} onChange={setTerms} />}
    </div>
  );
}

interface AllowanceTermsProps {
  offer: AllowanceOffer;
  terms: Terms | undefined;
  onChange: (terms: Terms) => void;
}

/**
 * Chooses where and how long a call is allowed, and with which arguments left open, among what the
 * server offers, if it offers anything.
 */
function AllowanceTerms({ offer, terms, onChange }: AllowanceTermsProps) {
  const labels = useQuestionLabels();
  const { userMaxAges = [], openArgs = [] } = offer;
  const forUser = userMaxAges.map((maxAge): Terms => ({ scope: "user", maxAge }));
  const choices: Terms[] = [{ scope: "thread", maxAge: offer.maxAge }, ...forUser];
  const chosen = terms ?? choices[0]!;
  const opened = chosen.openArgs ?? [];
  const toggle = (name: string, isOpen: boolean) =>
    onChange({ ...chosen, openArgs: isOpen ? [...opened, name] : opened.filter((each) => each !== name) });
  if (userMaxAges.length + openArgs.length === 0) return null;
  return (
    <>
      <select
        className="ps-text-field"
        aria-label={labels.alwaysFor}
        value={choices.findIndex(({ scope, maxAge }) => scope === chosen.scope && maxAge === chosen.maxAge)}
        onChange={({ target }) => onChange({ ...choices[Number(target.value)]!, openArgs: opened })}
      >
        {choices.map(({ scope, maxAge }, index) => (
          <option key={index} value={index}>
            {labels.alwaysWithin(scope, hours(maxAge))}
          </option>
        ))}
      </select>
      {openArgs.map((name) => (
        <Choice key={name} isChosen={opened.includes(name)} onChange={(isOpen) => toggle(name, isOpen)}>
          {labels.alwaysAny(name === ANY_ARGUMENTS ? undefined : humanize(name))}
        </Choice>
      ))}
    </>
  );
}
