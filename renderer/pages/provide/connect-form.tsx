import { useState } from 'react';
import type { Doctor } from '../../../engine/contract/owner/doctor.ts';
import { CallFailed } from '../../../engine/contract/client.ts';
import { networkName } from '../../format/networks.ts';
import { plainText } from '../../format/plain.ts';
import { Button } from '../../parts/button.tsx';
import { Outcome } from '../../parts/outcome.tsx';
import { Picker } from '../../parts/picker.tsx';
import { Status } from '../../parts/status.tsx';
import { useActing } from '../../stores/acting.ts';
import { client } from '../../stores/records.ts';
import { checklistWords as words } from '../../words/checklist-words.ts';
import { words as common } from '../../words/words.ts';
import { patchOf, type Setting, type Tree } from '../settings/form.ts';
import { chainsOf } from '../settings/groups.ts';
import { SettingFields } from '../settings/setting-fields.tsx';
import { useTyped } from '../settings/use-typed.ts';
import type { SettingsInForce } from '../settings/use-settings.ts';
import { waysOf } from './ways.ts';

type Rows = Doctor['rows'];

interface Connecting {
  readonly settings: Tree;
  readonly change: SettingsInForce['change'];
  /** What is connected, for who does not see. */
  readonly name: string;
}

/** How a network is given to the node: tested as it would be, then saved. */
export function ConnectForm({ network, ...connecting }: Connecting & { network: string }) {
  const ways = waysOf(network);
  const [chosen, choose] = useState(ways[0]?.name);
  const way = ways.find(({ name }) => name === chosen) ?? ways[0];
  if (way === undefined) return null;
  return (
    <div className="stack">
      {ways.length === 1 ? null : (
        <Picker
          purpose={words.way}
          value={way.name}
          options={ways.map(({ name }) => ({ value: name, label: words.ways[name] }))}
          onPick={choose}
        />
      )}
      <TestAndSave key={way.name} fields={way.fields} {...connecting} />
    </div>
  );
}

/** The same for a chain that is not connected yet. */
export function ChainForm(connecting: Connecting) {
  const chains = chainsOf(connecting.settings);
  const [chain, choose] = useState<string>(chains[0]);
  const options = chains.map((value) => ({ value, label: networkName(`evm:${value}`) }));
  return (
    <div className="stack">
      <Picker purpose={words.chain} value={chain} options={options} onPick={choose} />
      <ConnectForm key={chain} network={`evm:${chain}`} {...connecting} />
    </div>
  );
}

function TestAndSave({ fields, settings, change, name }: Connecting & { fields: readonly Setting[] }) {
  const typed = useTyped(settings, fields);
  const { changes, notYet, setText, clear } = typed;
  const { busy, outcome, run } = useActing();
  const [test, setTest] = useState<{ readonly of: string; readonly rows: Rows } | null>(null);
  const patch = patchOf(changes);
  const rows = test?.of === JSON.stringify(patch) ? test.rows : null;
  const faults = rows?.some(({ result }) => result === 'fail') ?? false;
  const tryIt = () =>
    run('test', async () => {
      const reply = await client().call('trySettings', { body: patch as never });
      setTest({ of: JSON.stringify(patch), rows: reply.rows });
      if (reply.rows.some(({ result }) => result === 'fail')) throw new CallFailed(400, words.fails);
      return words.works;
    });
  const save = () =>
    run('save', async () => {
      await change(patch);
      clear();
      return words.saved;
    });
  const untested = rows === null ? words.firstTest : faults ? words.firstMend : null;
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        if (busy === null && notYet === null) void (untested === null ? save() : tryIt());
      }}
    >
      <SettingFields
        fields={fields}
        typed={typed}
        below={(field) =>
          field.is === 'bytes' ? <Upload field={field} onText={(text) => setText(field, text)} /> : null
        }
      />
      {fields.some(({ is }) => is === 'bytes' || is === 'secret') ? <p className="hint">{words.seals}</p> : null}
      <div className="row">
        <Button name={words.testThing(name)} busy={busy === 'test'} notYet={notYet} onPress={() => void tryIt()}>
          {words.test}
        </Button>
        {notYet === null ? (
          <Button
            name={common.settings.saveThing(name)}
            busy={busy === 'save'}
            notYet={untested}
            onPress={() => void save()}
          >
            {words.save}
          </Button>
        ) : null}
      </div>
      <Outcome outcome={outcome} />
      {rows === null ? null : <Findings rows={rows} />}
    </form>
  );
}

const tones = { pass: 'safe', warn: 'need', fail: 'danger' } as const;

function Findings({ rows }: { rows: Rows }) {
  return (
    <ul className="stack">
      {rows.map(({ network, check, result, sentence }) => (
        <li key={`${network} ${check} ${sentence}`} className="break-words">
          <Status tone={tones[result]} small>
            <span className="min-w-0">
              <span className="sr">{common.settings.results[result]}: </span>
              {plainText(sentence)}
            </span>
          </Status>
        </li>
      ))}
    </ul>
  );
}

/** Most that a certificate or a macaroon may have, in bytes: anything larger is another file. */
const mostBytes = 64_000;

function Upload({ field, onText }: { field: Setting; onText: (text: string) => void }) {
  if (field.at.at(-1) === 'link') return null;
  const take = async (file: File | undefined) => {
    if (file === undefined || file.size > mostBytes) return;
    const bytes = new Uint8Array(await file.arrayBuffer());
    const text = new TextDecoder().decode(bytes);
    onText(
      text.startsWith('-----BEGIN') ? text : [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join(''),
    );
  };
  return (
    <input
      type="file"
      className="sub mt-2"
      aria-label={words.uploadThing(field.label)}
      onChange={(event) => void take(event.currentTarget.files?.[0])}
    />
  );
}
