import { useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { TextField } from '../../parts/field.tsx';
import { words } from '../../words/words.ts';
import type { SetupStep } from './setup-step.ts';
import { Frame } from './frame.tsx';
import { useStep } from './use-step.ts';

/** A later start with a passphrase. */
export function Unlock({ setup, state }: SetupStep) {
  const [passphrase, setPassphrase] = useState('');
  const { busy, trouble, take } = useStep();
  const unlock = async () => {
    if ((await take(setup.unlock({ passphrase }))) !== null) setPassphrase('');
  };
  return (
    <Frame title={words.setup.unlockTitle} lead={words.setup.unlockLead} trouble={trouble ?? state.failure}>
      <form
        className="panel stack mt-6"
        onSubmit={(event) => {
          event.preventDefault();
          if (!busy) void unlock();
        }}
      >
        <TextField
          label={words.setup.passphraseLabel}
          type="password"
          autoComplete="current-password"
          required
          autoFocus
          value={passphrase}
          onText={setPassphrase}
        />
        <Button kind="main" submit busy={busy}>
          {words.setup.unlock}
        </Button>
      </form>
    </Frame>
  );
}
