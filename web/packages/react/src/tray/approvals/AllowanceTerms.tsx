import type { AllowanceOffer, Json } from "@pageside/core";
import { useState } from "react";
import { useMessageLabels } from "../../labels/messages.js";
import { humanize } from "../../ui/format.js";

/** What `always` allows beyond the same call in the same thread. */
export interface Terms {
  scope: "thread" | "user";
  maxAge: number;
  openArgs?: string[];
}

/** Among the open arguments: the tool is allowed, whatever its arguments. */
export const ANY_ARGUMENTS = "*";

/** The terms that the user has chosen of an offer, and as the answer's `allowance`. */
export function useTerms(offer: AllowanceOffer | undefined) {
  const [terms, setTerms] = useState<Terms>();
  const allowance: { allowance?: Json } = terms ? { allowance: { ...terms } } : {};
  const isOffered = offer !== undefined && ((offer.userMaxAges?.length ?? 0) > 0 || (offer.openArgs?.length ?? 0) > 0);
  return { terms, setTerms, allowance, isOffered };
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
export function AllowanceTerms({ offer, terms, onChange }: AllowanceTermsProps) {
  const labels = useMessageLabels();
  const { scope, maxAge, openArgs = [] } = terms ?? { scope: offer.scope, maxAge: offer.maxAge };
  const choices = [
    { scope: "thread" as const, maxAge: offer.maxAge, label: labels.alwaysInThreadFor(hours(offer.maxAge)) },
    ...(offer.userMaxAges ?? []).map((age) => ({
      scope: "user" as const,
      maxAge: age,
      label: labels.alwaysEverywhereFor(hours(age)),
    })),
  ];
  const selected = choices.findIndex((each) => each.scope === scope && each.maxAge === maxAge);
  const toggle = (name: string, isOpen: boolean) =>
    onChange({ scope, maxAge, openArgs: isOpen ? [...openArgs, name] : openArgs.filter((each) => each !== name) });
  return (
    <div className="ps-always-terms">
      <select
        className="ps-text-field"
        aria-label={labels.alwaysFor}
        value={selected}
        onChange={({ target }) => {
          const { scope, maxAge } = choices[Number(target.value)]!;
          onChange({ scope, maxAge, openArgs });
        }}
      >
        {choices.map(({ label }, index) => (
          <option key={label} value={index}>
            {label}
          </option>
        ))}
      </select>
      {(offer.openArgs ?? []).map((name) => (
        <label key={name} className="ps-choice">
          <input
            type="checkbox"
            checked={openArgs.includes(name)}
            onChange={({ target }) => toggle(name, target.checked)}
          />
          <span dir="auto">
            {name === ANY_ARGUMENTS ? labels.alwaysAnyDetails : labels.alwaysAnyValue(humanize(name))}
          </span>
        </label>
      ))}
    </div>
  );
}
