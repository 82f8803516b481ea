import type { ReactNode } from 'react';
import { Button } from '../../parts/button.tsx';
import { Outcome } from '../../parts/outcome.tsx';
import { useActing } from '../../stores/acting.ts';
import { words } from '../../words/words.ts';
import { keyOf, patchOf, type Setting, type Tree } from './form.ts';
import { SettingField } from './setting-field.tsx';
import { useTyped } from './use-typed.ts';
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
  const { changes, wrong, textOf, setText, clear } = useTyped(settings, fields);
  const { busy, outcome, run } = useActing();
  const save = () =>
    run('save', async () => {
      await change(patchOf(changes));
      clear();
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
            text={textOf(field)}
            wrong={wrong.includes(keyOf(field))}
            onText={(text) => setText(field, text)}
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
