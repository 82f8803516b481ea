import { useEffect, useState } from 'react';
import type { SetupState } from '../../../preload/setup.ts';
import { ButtonLink } from '../../parts/button.tsx';
import { Status, type Tone } from '../../parts/status.tsx';
import { Toggle } from '../../parts/toggle.tsx';
import { hrefTo } from '../../stores/route.ts';
import { useSetup } from '../../stores/setup.ts';
import { words } from '../../words/words.ts';
import { rescueCopy } from './groups.ts';
import { Group } from './group.tsx';
import type { SettingsInForce } from './use-settings.ts';

/** How the keys are kept, whether the paper is right, and the file that needs neither. */
export function Keys(inForce: SettingsInForce) {
  return (
    <div className="gap">
      <section aria-labelledby="keys">
        <h2 id="keys">{words.settings.keysTitle}</h2>
        <p className="sub mb-4">{words.settings.keysLead}</p>
        {window.sluice === undefined ? <OnTerminal folder={inForce.settings?.['dataDir']} /> : <InDesktop />}
      </section>
      <section aria-labelledby="lost">
        <h2 id="lost">{words.settings.lostTitle}</h2>
        <p className="sub mb-4">{words.settings.lostLead}</p>
        <ButtonLink icon="search" href={hrefTo('restore')}>
          {words.refunds.wordsLink}
        </ButtonLink>
      </section>
      <Group title={words.settings.rescueTitle} lead={words.settings.rescueLead} fields={rescueCopy} {...inForce} />
    </div>
  );
}

/** A page of a browser sees no word of a seed: it names the command. */
export function OnTerminal({ folder }: { folder: unknown }) {
  const place = typeof folder === 'string' ? folder : 'DIR';
  return (
    <div className="stack">
      <p>{words.settings.headlessKeys}</p>
      <dl className="facts">
        <dt>{words.settings.headlessVerify}</dt>
        <dd className="mono">npm run seed -- verify --data-dir {place}</dd>
        <dt>{words.settings.headlessShow}</dt>
        <dd className="mono">npm run seed -- show --data-dir {place}</dd>
      </dl>
    </div>
  );
}

const tones = { absent: 'need', sealed: 'wait', open: 'safe', damaged: 'danger' } as const satisfies Record<
  SetupState['seed'],
  Tone
>;

function InDesktop() {
  const state = useSetup();
  if (state === null) return null;
  return (
    <div className="stack">
      <div>
        <Status tone={tones[state.seed]}>{words.settings.keysState[state.seed]}</Status>
        {state.ways.length === 0 ? null : (
          <p className="sub">
            {words.settings.sealedBy(state.ways.map((way) => words.settings.ways[way]).join(words.shell.and))}
          </p>
        )}
        {state.keychain ? null : <p className="sub">{words.settings.keychainAway}</p>}
      </div>
      <LoginStart />
      <p>
        <ButtonLink href={hrefTo('backup')} icon="key">
          {words.settings.backupLink}
        </ButtonLink>
      </p>
    </div>
  );
}

function LoginStart() {
  const [on, setOn] = useState<boolean | null>(null);
  const setup = window.sluice?.setup;
  useEffect(() => {
    void setup?.startAtLogin().then((answer) => setOn(answer.done ? answer.on : null));
  }, [setup]);
  if (setup === undefined || on === null) return null;
  const change = async (next: boolean) => {
    const answer = await setup.setStartAtLogin({ on: next });
    if (answer.done) setOn(next);
  };
  return (
    <Toggle
      label={words.settings.loginStart}
      means={words.settings.loginStartMeans}
      on={on}
      onSwitch={(next) => void change(next)}
    />
  );
}
