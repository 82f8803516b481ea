import { useState, type ReactNode } from 'react';
import { readUnits } from '../../format/amount.ts';
import { Button } from '../../parts/button.tsx';
import { Field } from '../../parts/field.tsx';
import { Icon, type IconName } from '../../parts/icon.tsx';
import { sandboxWords } from '../../words/sandbox-words.ts';

/** An amount, its unit and the button that gets it. */
export function FaucetLine({
  label,
  icon,
  unit,
  decimals,
  start,
  busy,
  press,
  onAmount,
}: {
  label: string;
  icon: IconName;
  unit: ReactNode;
  decimals: number;
  start: string;
  busy: boolean;
  /** What the button says. */
  press: string;
  /** With the amount in smallest units. */
  onAmount: (units: string) => void;
}) {
  const [text, setText] = useState(start);
  const [wrong, setWrong] = useState(false);
  const submit = () => {
    const units = readUnits(text, decimals);
    setWrong(units === null);
    if (units !== null) onAmount(units);
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <Field label={label} error={wrong ? sandboxWords.notAnAmount : null}>
        {(tie) => (
          <div className="copyline">
            <div className="row flex-nowrap gap-2">
              <Icon name={icon} />
              <input
                {...tie}
                className="in num"
                inputMode="decimal"
                autoComplete="off"
                value={text}
                onChange={(event) => setText(event.currentTarget.value)}
              />
              <span className="sub">{unit}</span>
            </div>
            <Button submit busy={busy} name={`${press}: ${label}`}>
              {press}
            </Button>
          </div>
        )}
      </Field>
    </form>
  );
}
