import { useId, useState, type ReactNode } from 'react';
import { Button } from '../../parts/button.tsx';
import { Field } from '../../parts/field.tsx';
import { Outcome } from '../../parts/outcome.tsx';
import { useActing } from '../../stores/acting.ts';
import { words } from '../../words/words.ts';
import { meant, patchOf, typed, type Setting, type Tree } from './form.ts';
import type { SettingsInForce } from './use-settings.ts';

/** Settings that belong together, saved together: what was not touched is not sent. */
export function SettingsForm({
  settings,
  fields,
  shown = fields,
  change,
  name,
  below,
}: {
  settings: Tree;
  fields: readonly Setting[];
  /** Of the fields those that stand there now; what was typed into the others is kept, and saved with them. */
  shown?: readonly Setting[];
  change: SettingsInForce['change'];
  /** What is saved, for who does not see. */
  name: string;
  /** Below the fields, by what would be sent; null while something typed could not be. */
  below?: (patch: Tree | null) => ReactNode;
}) {
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>({});
  const { busy, outcome, run } = useActing();
  const changes = fields.flatMap((field): [Setting, unknown][] => {
    const text = texts[keyOf(field)];
    return text === undefined || text === typed(field, settings) ? [] : [[field, meant(field, text)]];
  });
  const wrong = changes.filter(([, value]) => value === undefined).map(([field]) => keyOf(field));
  const save = () =>
    run('save', async () => {
      await change(patchOf(changes));
      setTexts({});
      return words.settings.saved;
    });
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        if (changes.length > 0 && wrong.length === 0 && busy === null) void save();
      }}
    >
      <div className="grid items-start gap-x-5 gap-y-3 sm:grid-cols-2">
        {shown.map((field) => (
          <SettingField
            key={keyOf(field)}
            field={field}
            text={texts[keyOf(field)] ?? typed(field, settings)}
            wrong={wrong.includes(keyOf(field))}
            onText={(text) => setTexts({ ...texts, [keyOf(field)]: text })}
          />
        ))}
      </div>
      {below?.(wrong.length === 0 ? patchOf(changes) : null)}
      <Button
        submit
        name={words.settings.saveThing(name)}
        busy={busy !== null}
        notYet={changes.length === 0 ? words.settings.unchanged : wrong.length > 0 ? words.settings.firstRight : null}
      >
        {words.settings.save}
      </Button>
      <Outcome outcome={outcome} />
    </form>
  );
}

const units = { sats: 'sats', bps: '%', text: null, list: null } as const;

function SettingField({
  field,
  text,
  wrong,
  onText,
}: {
  field: Setting;
  text: string;
  wrong: boolean;
  onText: (text: string) => void;
}) {
  const unit = units[field.is];
  const unitId = useId();
  const error = wrong ? (field.is === 'bps' ? words.settings.notAShare : words.settings.notSats) : null;
  return (
    <Field label={field.label} hint={field.hint} error={error}>
      {(tie) =>
        field.is === 'list' ? (
          <textarea
            {...tie}
            className="in mono"
            rows={3}
            spellCheck={false}
            value={text}
            onChange={(event) => onText(event.currentTarget.value)}
          />
        ) : (
          <div className="row flex-nowrap gap-2">
            <input
              {...tie}
              className={unit === null ? 'in mono' : 'in num'}
              inputMode={unit === null ? 'text' : 'decimal'}
              autoComplete="off"
              spellCheck={false}
              value={text}
              onChange={(event) => onText(event.currentTarget.value)}
            />
            {unit === null ? null : (
              <span className="sub" id={unitId}>
                {unit}
              </span>
            )}
          </div>
        )
      }
    </Field>
  );
}

function keyOf({ at }: Setting): string {
  return at.join('.');
}
