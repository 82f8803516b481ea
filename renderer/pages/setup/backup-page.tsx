import { useState } from 'react';
import type { SetupApi, SetupState } from '../../../preload/setup.ts';
import { Button } from '../../parts/button.tsx';
import { TextField } from '../../parts/field.tsx';
import { Note } from '../../parts/note.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { hrefTo } from '../../stores/route.ts';
import { useSetup } from '../../stores/setup.ts';
import { words } from '../../words/words.ts';
import { OnTerminal } from '../settings/keys.tsx';
import { useStep } from './use-step.ts';
import { WordsField } from './words-field.tsx';
import { WordList } from './write-words.tsx';

/** Whether the paper is right, at any later time; the words themselves only after a question of the program's own. */
export function BackupPage() {
  const state = useSetup();
  const setup = window.sluice?.setup;
  return (
    <>
      <PageHead
        title={words.setup.backupTitle}
        lead={words.setup.backupLead}
        back={{ href: hrefTo('settings', 'keys'), label: words.setup.toSettings }}
      />
      {setup === undefined ? (
        <OnTerminal folder={null} />
      ) : state === null ? null : (
        <div className="gap max-w-2xl">
          <Compare setup={setup} state={state} />
          <ShowWords setup={setup} state={state} />
        </div>
      )}
    </>
  );
}

function Compare({ setup, state }: { setup: SetupApi; state: SetupState }) {
  const [typed, setTyped] = useState('');
  const [passphrase, setPassphrase] = useState('');
  const [same, setSame] = useState<boolean | null>(null);
  const { busy, trouble, take } = useStep();
  const compare = async () => {
    setSame(null);
    const came = await take(setup.compare({ words: typed, ...given(passphrase) }));
    if (came === null) return;
    setSame(came.same);
    if (came.same) setTyped('');
  };
  return (
    <form
      className="panel stack"
      onSubmit={(event) => {
        event.preventDefault();
        if (!busy) void compare();
      }}
    >
      <WordsField typed={typed} onText={setTyped} />
      <Passphrase state={state} text={passphrase} onText={setPassphrase} />
      <Button kind="main" submit busy={busy}>
        {words.setup.compare}
      </Button>
      {trouble === null ? null : (
        <Note tone="need" alert>
          {trouble}
        </Note>
      )}
      {same === null ? null : (
        <Note tone={same ? 'safe' : 'danger'} alert>
          {same ? words.setup.same : words.setup.different}
        </Note>
      )}
    </form>
  );
}

function ShowWords({ setup, state }: { setup: SetupApi; state: SetupState }) {
  const [list, setList] = useState<readonly string[] | null>(null);
  const [passphrase, setPassphrase] = useState('');
  const { busy, trouble, take } = useStep();
  const show = async () => {
    const came = await take(setup.show(given(passphrase)));
    setPassphrase('');
    setList(came?.words ?? null);
  };
  return (
    <section aria-labelledby="show-words" className="stack">
      <h2 id="show-words">{words.setup.show}</h2>
      <p className="sub">{words.setup.showLead}</p>
      {list === null ? (
        <form
          className="stack"
          onSubmit={(event) => {
            event.preventDefault();
            if (!busy) void show();
          }}
        >
          <Passphrase state={state} text={passphrase} onText={setPassphrase} />
          <Button submit icon="eye" busy={busy}>
            {words.setup.show}
          </Button>
        </form>
      ) : (
        <>
          <WordList list={list} />
          <Button icon="eye" onPress={() => setList(null)}>
            {words.setup.hide}
          </Button>
        </>
      )}
      {trouble === null ? null : (
        <Note tone="need" alert>
          {trouble}
        </Note>
      )}
    </section>
  );
}

function Passphrase({ state, text, onText }: { state: SetupState; text: string; onText: (text: string) => void }) {
  if (!state.ways.includes('passphrase')) return null;
  return (
    <TextField
      label={words.setup.passphraseIfAny}
      type="password"
      autoComplete="current-password"
      required
      value={text}
      onText={onText}
    />
  );
}

function given(passphrase: string): { passphrase?: string } {
  return passphrase === '' ? {} : { passphrase };
}
