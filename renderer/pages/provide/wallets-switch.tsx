import { useState } from 'react';
import type { ChecklistStep } from '../../../engine/contract/owner/checklist.ts';
import { ActButton } from '../../parts/act-button.tsx';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { checklistWords as words } from '../../words/checklist-words.ts';
import { valueAt, type Tree } from '../settings/form.ts';
import type { SettingsInForce } from '../settings/use-settings.ts';
import { titleOf } from './titles.ts';

interface Switch {
  readonly step: ChecklistStep;
  readonly settings: Tree;
  readonly change: SettingsInForce['change'];
}

/** Answers other wallets, or stops; what can lose money is turned on by a second press, below what it can lose. */
export function WalletsSwitch({ step, settings, change }: Switch) {
  const [asking, setAsking] = useState(false);
  const toArkade = step.id === 'toArkade';
  const on = valueAt(settings, toArkade ? ['boltz', 'toArkade', 'enabled'] : ['boltz', 'enabled']) === true;
  const says = on ? words.turnOff : words.turnOn;
  const name = `${says}: ${titleOf(step)}`;
  const turn = async (): Promise<void> => {
    await change({ boltz: toArkade ? { toArkade: { enabled: !on } } : { enabled: !on } });
    setAsking(false);
  };
  if (!toArkade || on)
    return (
      <ActButton size="small" name={name} act={turn}>
        {says}
      </ActButton>
    );
  return (
    <>
      <Button size="small" name={name} onPress={() => setAsking(true)}>
        {says}
      </Button>
      <Dialog
        open={asking}
        onClose={() => setAsking(false)}
        title={titleOf(step)}
        actions={
          <>
            <Button onPress={() => setAsking(false)}>{words.stayOff}</Button>
            <ActButton kind="hurt" act={turn}>
              {words.mayLose}
            </ActButton>
          </>
        }
      >
        <p>{step.sentence}</p>
      </Dialog>
    </>
  );
}
