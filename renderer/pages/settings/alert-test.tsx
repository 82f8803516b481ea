import { useState } from 'react';
import { ActButton } from '../../parts/act-button.tsx';
import { Note } from '../../parts/note.tsx';
import { client } from '../../stores/records.ts';
import { words } from '../../words/words.ts';

/** Whether alerts arrive, before one is needed. */
export function AlertTest({ onTest }: { onTest?: () => void }) {
  const [lines, setLines] = useState<readonly { readonly arrived: boolean; readonly text: string }[]>([]);
  const text = words.settings;
  const tryAll = async () => {
    setLines([]);
    const { results } = await client().call('testAlerts', { body: {} });
    onTest?.();
    setLines(
      results.length === 0
        ? [{ arrived: false, text: text.alertNowhere }]
        : results.map(({ channel, arrived, reason = '' }) => {
            const way = text.alertWays[channel];
            return { arrived, text: arrived ? text.alertArrived(way) : text.alertLost(way, reason) };
          }),
    );
  };
  return (
    <section className="stack" aria-label={text.alertTest}>
      <p className="sub">{text.alertTestMeans}</p>
      <div>
        <ActButton act={tryAll}>{text.alertTest}</ActButton>
      </div>
      {lines.map(({ arrived, text: line }) => (
        <Note key={line} tone={arrived ? 'safe' : 'need'} alert={!arrived}>
          {line}
        </Note>
      ))}
    </section>
  );
}
