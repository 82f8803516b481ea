import { plainText } from '../../format/plain.ts';
import { useState } from 'react';
import type { TakerRestore } from '../../../engine/contract/taker-restore.ts';
import { Button } from '../../parts/button.tsx';
import { Empty, Loading } from '../../parts/empty.tsx';
import { TextField } from '../../parts/field.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Note } from '../../parts/note.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { toneIcons, type Tone } from '../../parts/status.tsx';
import { hrefTo } from '../../stores/route.ts';
import { restoreWords as text } from '../../words/restore-words.ts';
import { useRestore } from './use-restore.ts';

type Row = TakerRestore['swaps'][number];

const tones = {
  reopened: 'safe',
  held: 'off',
  over: 'off',
  refused: 'danger',
  later: 'need',
} as const satisfies Record<Row['outcome'], Tone>;

const providerTones = {
  waiting: 'off',
  asking: 'wait',
  done: 'safe',
  silent: 'need',
  cut: 'need',
} as const satisfies Record<TakerRestore['providers'][number]['state'], Tone>;

/** Swaps that this computer does not know, found again from the words. */
export function RestorePage() {
  const { restore, trouble, look } = useRestore();
  const [provider, setProvider] = useState('');
  const running = restore?.state === 'running';
  return (
    <>
      <PageHead title={text.title} lead={text.lead} />
      {trouble === null ? null : (
        <Note tone="need" alert>
          {trouble}
        </Note>
      )}
      <form
        className="panel stack"
        onSubmit={(event) => {
          event.preventDefault();
          if (!running) void look(provider.trim());
        }}
      >
        <TextField
          label={text.provider}
          hint={text.providerHint}
          value={provider}
          onText={setProvider}
          placeholder="https://"
          spellCheck={false}
          mono
        />
        <div className="row">
          <Button kind="main" submit busy={running}>
            {text.look}
          </Button>
        </div>
      </form>
      <p className="sub mt-4">{text.again}</p>
      <p className="sub mt-4" role="status">
        {running ? text.looking(totalOf(restore)) : restore?.state === 'done' ? summary(restore) : null}
      </p>
      {restore === null && trouble === null ? <Loading rows={3} /> : null}
      {restore === null || restore.state === 'never' ? null : <Result restore={restore} />}
    </>
  );
}

function totalOf({ counts }: TakerRestore): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

function summary(restore: TakerRestore): string {
  return text.result(totalOf(restore), restore.counts.reopened);
}

function Result({ restore }: { restore: TakerRestore }) {
  return (
    <>
      <section className="section" aria-labelledby="asked">
        <h2 id="asked">{text.asked}</h2>
        <ul className="mt-2">
          {restore.providers.map(({ provider_url: url, state }) => (
            <li key={url} className="probe">
              <Icon name={toneIcons[providerTones[state]]} className={providerTones[state]} />
              <p className="min-w-0">
                <span className={url === '' ? undefined : 'mono break-all'}>{url === '' ? text.thisNode : url}</span>{' '}
                {text.providers[state]}
              </p>
            </li>
          ))}
        </ul>
      </section>
      {restore.state === 'done' && totalOf(restore) === 0 ? (
        <Empty icon="list" title={text.none}>
          {text.noneMeans}
        </Empty>
      ) : restore.swaps.length === 0 ? null : (
        <section className="section" aria-labelledby="records">
          <h2 id="records">{text.swaps}</h2>
          <ul className="mt-2">
            {restore.swaps.map((row, place) => (
              <Line key={place} row={row} />
            ))}
          </ul>
          {restore.left_out === 0 ? null : <p className="sub">{text.leftOut(restore.left_out)}</p>}
        </section>
      )}
    </>
  );
}

function Line({ row }: { row: Row }) {
  const { outcome, reason, detail, id } = row;
  return (
    <li className="probe">
      <Icon name={toneIcons[tones[outcome]]} className={tones[outcome]} />
      <div className="min-w-0">
        <h3>{text.outcomes[outcome]}</h3>
        <p className="sub mono break-all">{row.provider_swap_id}</p>
        {id === null ? null : (
          <p>
            <a href={hrefTo('swaps', id)}>{text.open}</a>
          </p>
        )}
        {reason === null ? null : <p className="sub">{text.reasons[reason]}</p>}
        {detail === null ? null : <p className="sub break-words">{plainText(detail)}</p>}
      </div>
    </li>
  );
}
