import { useState } from 'react';
import type { SetupApi } from '../../../preload/setup.ts';
import { Button } from '../../parts/button.tsx';
import { goTo } from '../../stores/route.ts';
import { words } from '../../words/words.ts';
import { Frame } from './frame.tsx';
import { useStep } from './use-step.ts';
import { WordsField } from './words-field.tsx';

/** Words from paper; they are held until the computer's copy is locked. */
export function RestoreWords({ setup, onBack }: { setup: SetupApi; onBack: () => void }) {
  const [typed, setTyped] = useState('');
  const { busy, trouble, take } = useStep();
  const restore = async () => {
    if ((await take(setup.restore({ words: typed }))) === null) return;
    setTyped('');
    // The page that is shown once the keys are locked: what these words swapped before is looked for there.
    goTo('restore');
  };
  return (
    <Frame step={0} title={words.setup.restoreTitle} lead={words.setup.restoreLead} trouble={trouble}>
      <form
        className="panel stack mt-6"
        onSubmit={(event) => {
          event.preventDefault();
          if (!busy) void restore();
        }}
      >
        <WordsField typed={typed} onText={setTyped} />
        <div className="row apart">
          <Button kind="quiet" icon="left" onPress={onBack}>
            {words.setup.back}
          </Button>
          <Button kind="main" submit busy={busy}>
            {words.setup.restoreNow}
          </Button>
        </div>
      </form>
    </Frame>
  );
}
