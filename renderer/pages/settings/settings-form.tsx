import type { ReactNode } from 'react';
import { Button } from '../../parts/button.tsx';
import { Outcome } from '../../parts/outcome.tsx';
import { useActing } from '../../stores/acting.ts';
import { words } from '../../words/words.ts';
import { patchOf, type Setting, type Tree } from './form.ts';
import { SettingFields } from './setting-fields.tsx';
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
  const typed = useTyped(settings, fields);
  const { changes, wrong, notYet, clear } = typed;
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
        if (notYet === null && busy === null) void save();
      }}
    >
      <SettingFields fields={shown} typed={typed} />
      {below?.(wrong.length === 0 ? patchOf(changes) : null)}
      <Button submit name={words.settings.saveThing(name)} busy={busy !== null} notYet={notYet}>
        {words.settings.save}
      </Button>
      <Outcome outcome={outcome} />
    </form>
  );
}
