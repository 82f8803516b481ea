import { useState, type ReactNode } from 'react';
import { Button } from '../../parts/button.tsx';
import { TextField } from '../../parts/field.tsx';
import { words } from '../../words/words.ts';
import type { SetupStep } from './setup-step.ts';
import { Frame } from './frame.tsx';
import { useStep } from './use-step.ts';

/** How this computer keeps its copy; then the node starts. */
export function LockKeys({ setup, state }: SetupStep) {
  const [keychain, setKeychain] = useState(state.keychain);
  const [withPassphrase, setWithPassphrase] = useState(!state.keychain);
  const [passphrase, setPassphrase] = useState('');
  const [again, setAgain] = useState('');
  const [atLogin, setAtLogin] = useState(true);
  const { busy, trouble, why, take } = useStep();
  const tooShort = withPassphrase && why === 'passphrase-short';
  const text = words.setup;
  const differ = withPassphrase && again !== '' && again !== passphrase;
  const lock = async () => {
    const answer = take(setup.lock({ keychain, passphrase: withPassphrase ? passphrase : null }));
    if ((await answer) === null) return;
    setPassphrase('');
    setAgain('');
    await setup.setStartAtLogin({ on: atLogin });
  };
  return (
    <Frame step={3} title={text.lockTitle} lead={text.lockLead} trouble={tooShort ? null : trouble}>
      <form
        className="panel stack mt-6"
        onSubmit={(event) => {
          event.preventDefault();
          if (!busy && (!withPassphrase || again === passphrase)) void lock();
        }}
      >
        <fieldset className="stack">
          <legend className="sr">{text.how}</legend>
          <CheckLine on={keychain} onCheck={setKeychain} disabled={!state.keychain}>
            {state.keychain ? text.keychain : text.noKeychain}
          </CheckLine>
          <CheckLine on={withPassphrase} onCheck={setWithPassphrase}>
            {text.passphrase}
          </CheckLine>
        </fieldset>
        {withPassphrase ? (
          <>
            <TextField
              label={text.passphraseLabel}
              error={tooShort ? trouble : null}
              type="password"
              autoComplete="new-password"
              required
              value={passphrase}
              onText={setPassphrase}
            />
            <TextField
              label={text.repeat}
              type="password"
              autoComplete="new-password"
              required
              error={differ ? text.differ : null}
              value={again}
              onText={setAgain}
            />
          </>
        ) : null}
        <CheckLine on={atLogin} onCheck={setAtLogin}>
          {text.atLogin}. {text.atLoginMeans}
        </CheckLine>
        <div className="row end">
          <Button kind="main" submit busy={busy} notYet={differ ? text.differ : null}>
            {text.open}
          </Button>
        </div>
      </form>
    </Frame>
  );
}

function CheckLine({
  on,
  onCheck,
  disabled = false,
  children,
}: {
  on: boolean;
  onCheck: (on: boolean) => void;
  disabled?: boolean;
  children: ReactNode;
}) {
  return (
    <label className="row flex-nowrap items-start">
      <input
        type="checkbox"
        className="mt-1"
        checked={on}
        disabled={disabled}
        onChange={(event) => onCheck(event.currentTarget.checked)}
      />
      <span>{children}</span>
    </label>
  );
}
