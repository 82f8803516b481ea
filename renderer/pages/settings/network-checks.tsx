import { useCallback, useEffect, useState } from 'react';
import type { Doctor } from '../../../engine/contract/owner/doctor.ts';
import { plainText } from '../../format/plain.ts';
import { networkName } from '../../format/networks.ts';
import { spanText } from '../../format/span.ts';
import { Button } from '../../parts/button.tsx';
import { Loading } from '../../parts/empty.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Note } from '../../parts/note.tsx';
import { toneIcons, type Tone } from '../../parts/status.tsx';
import { useNow } from '../../stores/now.ts';
import { client } from '../../stores/records.ts';
import { troubleText } from '../../stores/trouble.ts';
import { words } from '../../words/words.ts';
import { checkedNetworks, type Checked } from './checks.ts';
import type { Tree } from './form.ts';
import { chainsOf, connectionOf } from './groups.ts';
import { SettingsForm } from './settings-form.tsx';
import type { SettingsInForce } from './use-settings.ts';

const tones = { pass: 'safe', warn: 'need', fail: 'danger' } as const satisfies Record<string, Tone>;

/** What is tested when no single connection is named. */
const everything = '';

/** Networks that can be set up, whether or not the doctor speaks of them. */
const offered = (settings: Tree): readonly string[] => [
  ...['arkade', 'lightning', 'bitcoin'],
  ...chainsOf(settings).map((chain) => `evm:${chain}`),
  'proxy',
];

/** The doctor's word on every connection, and what each stands on. */
export function NetworkChecks(inForce: SettingsInForce) {
  const { doctor, testing, trouble, testedAt, test } = useDoctor();
  const networks = doctor === null ? [] : checkedNetworks(doctor);
  const sandbox = inForce.settings?.['sandbox'] === true;
  const missing =
    sandbox || inForce.settings === null
      ? []
      : offered(inForce.settings).filter((name) => networks.every(({ network }) => network !== name));
  return (
    <>
      <div className="row apart">
        <div>
          <h2>{words.settings.sections.networks}</h2>
          <p className="sub" role="status">
            {testing !== null ? words.settings.testing : <Tally networks={networks} testedAt={testedAt} />}
          </p>
        </div>
        <Button icon="refresh" busy={testing === everything} onPress={() => test(everything)}>
          {words.settings.testAll}
        </Button>
      </div>
      {trouble === null ? null : (
        <Note tone="need" alert>
          {trouble}
        </Note>
      )}
      {sandbox ? <p className="sub mt-2">{words.settings.sandboxNetworks}</p> : null}
      {doctor === null && trouble === null ? <Loading rows={6} /> : null}
      <ul className="mt-4">
        {networks.map((checked) => (
          <NetworkLine
            key={checked.network}
            checked={checked}
            inForce={inForce}
            sandbox={sandbox}
            testing={testing === checked.network}
            onTest={() => test(checked.network)}
          />
        ))}
        {doctor === null
          ? null
          : missing.map((network) => (
              <NetworkLine
                key={network}
                checked={{
                  network,
                  rows: [],
                  result: 'pass',
                  sentences: [network === 'proxy' ? words.settings.noProxy : words.settings.notSetUp],
                }}
                inForce={inForce}
                sandbox={false}
                testing={false}
                onTest={() => test(network)}
              />
            ))}
      </ul>
    </>
  );
}

function Tally({ networks, testedAt }: { networks: readonly Checked[]; testedAt: number | null }) {
  const now = useNow();
  if (testedAt === null) return null;
  const count = (result: Checked['result']) => networks.filter((one) => one.result === result).length;
  const age = now - testedAt;
  return (
    <>
      {age < 5 ? words.settings.testedNow : words.settings.tested(spanText(age))}{' '}
      {words.settings.tally(count('pass'), count('warn'), count('fail'))}.
    </>
  );
}

function NetworkLine({
  checked: { network, rows, result, sentences },
  inForce: { settings, change },
  sandbox,
  testing,
  onTest,
}: {
  checked: Checked;
  inForce: SettingsInForce;
  sandbox: boolean;
  testing: boolean;
  onTest: () => void;
}) {
  const fields = connectionOf(network);
  const [open, setOpen] = useState(result === 'fail' && rows.length > 0 && !sandbox);
  const tone: Tone = rows.length === 0 ? 'off' : tones[result];
  const name = words.settings.connections[network] ?? networkName(network);
  const { setUp, setUpThing, change: changeWord, changeThing } = words.settings;
  return (
    <li className={`probe ${open ? 'open' : ''}`}>
      <Icon name={toneIcons[tone]} className={tone} />
      <div>
        <h3>
          {name} {rows.length === 0 ? null : <span className="sr">{words.settings.results[result]}</span>}
        </h3>
        {sentences.map((sentence) => (
          <p key={sentence} className="sub break-words">
            {plainText(sentence)}
          </p>
        ))}
        {rows.length > 1 ? (
          <details className="sub">
            <summary>
              <Icon name="right" className="chev" />
              {words.settings.checks(rows.length)}
            </summary>
            <ul className="stack ml-5">
              {rows.map((row) => (
                <li key={`${row.check} ${row.sentence}`} className="flex gap-2">
                  <Icon name={toneIcons[tones[row.result]]} className={tones[row.result]} />
                  <span className="min-w-0 break-words">
                    <span className="sr">{words.settings.results[row.result]}: </span>
                    {plainText(row.sentence)}
                  </span>
                </li>
              ))}
            </ul>
          </details>
        ) : null}
      </div>
      <span className="act row">
        {rows.length === 0 ? null : (
          <Button size="small" busy={testing} name={words.settings.testThing(name)} onPress={onTest}>
            {words.settings.test}
          </Button>
        )}
        {fields.length === 0 || sandbox || open ? null : (
          <Button
            size="small"
            name={rows.length === 0 ? setUpThing(name) : changeThing(name)}
            onPress={() => setOpen(true)}
          >
            {rows.length === 0 ? setUp : changeWord}
          </Button>
        )}
      </span>
      {open && settings !== null ? (
        <div className="col-span-full mt-3 sm:col-start-2">
          <SettingsForm
            settings={settings}
            fields={fields}
            name={name}
            change={async (patch) => {
              await change(patch);
              onTest();
            }}
          />
        </div>
      ) : null}
    </li>
  );
}

function useDoctor() {
  const [doctor, setDoctor] = useState<Doctor | null>(null);
  const [testing, setTesting] = useState<string | null>(null);
  const [trouble, setTrouble] = useState<string | null>(null);
  const [testedAt, setTestedAt] = useState<number | null>(null);
  // One is judged by what the others say as well, so all are asked whichever is tested.
  const test = useCallback((what: string) => {
    setTesting(what);
    setTrouble(null);
    client()
      .call('ownerDoctor')
      .then((reply) => {
        setDoctor(reply);
        setTestedAt(Math.floor(Date.now() / 1_000));
      })
      .catch((error: unknown) => setTrouble(troubleText(error)))
      .finally(() => setTesting(null));
  }, []);
  useEffect(() => test(everything), [test]);
  return { doctor, testing, trouble, testedAt, test };
}
