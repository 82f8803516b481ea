import { useState } from 'react';
import { Loading } from '../../parts/empty.tsx';
import { words } from '../../words/words.ts';
import { CheckWords } from './check-words.tsx';
import { Frame } from './frame.tsx';
import { LockKeys } from './lock-keys.tsx';
import { RestoreWords } from './restore-words.tsx';
import type { SetupStep } from './setup-step.ts';
import { Start } from './start.tsx';
import { Unlock } from './unlock.tsx';
import { WriteWords } from './write-words.tsx';

/** From nothing to a node with keys; every later start that has to ask. */
export function FirstRun({ setup, state }: SetupStep) {
  const [restoring, setRestoring] = useState(false);
  const [written, setWritten] = useState(false);
  const { draft, seed, node, chosen, failure } = state;
  if (node === 'starting')
    return (
      <Frame title={words.setup.starting} lead={words.setup.startingMeans}>
        <Loading />
      </Frame>
    );
  if (node === 'failed') return <Frame title={words.setup.failed} lead={words.setup.failedMeans} trouble={failure} />;
  if (seed === 'damaged')
    return <Frame title={words.setup.damagedTitle} lead={words.setup.failedMeans} trouble={words.setup.why.damaged} />;
  if (seed === 'sealed' && chosen) return <Unlock setup={setup} state={state} />;
  if (draft !== null && (draft.verified || draft.from === 'restored')) return <LockKeys setup={setup} state={state} />;
  if (draft !== null && written)
    return <CheckWords setup={setup} places={draft.check} onBack={() => setWritten(false)} />;
  if (draft !== null) return <WriteWords setup={setup} count={draft.count} onWritten={() => setWritten(true)} />;
  if (restoring) return <RestoreWords setup={setup} onBack={() => setRestoring(false)} />;
  return <Start setup={setup} state={state} onRestore={() => setRestoring(true)} />;
}
