import type { ReactNode } from 'react';
import { Mark } from '../../parts/brand.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Note } from '../../parts/note.tsx';
import { words } from '../../words/words.ts';

/** The frame of every step: the mark, how far it is, one heading. */
export function Frame({
  step = null,
  title,
  lead,
  trouble = null,
  children,
}: {
  /** Which of the four steps; null for a screen beside them. */
  step?: number | null;
  title: string;
  lead?: ReactNode;
  trouble?: string | null;
  children?: ReactNode;
}) {
  return (
    <main className="first">
      <p className="brand">
        <Mark />
        {words.shell.name}
      </p>
      {step === null ? null : <Walk step={step} />}
      <h1>{title}</h1>
      {lead === undefined ? null : <p className="lead">{lead}</p>}
      {trouble === null ? null : (
        <div className="mt-4">
          <Note tone="need" alert>
            {trouble}
          </Note>
        </div>
      )}
      {children}
    </main>
  );
}

function Walk({ step }: { step: number }) {
  return (
    <ol className="walk" aria-label={words.setup.steps}>
      {words.setup.stepNames.map((name, place) => (
        <li key={name} aria-current={place === step ? 'step' : undefined}>
          <Icon
            name={place < step ? 'safe' : place === step ? 'here' : 'todo'}
            className={place < step ? 'safe' : ''}
          />
          {name}
          {place < step ? <span className="sr"> {words.setup.done}</span> : null}
        </li>
      ))}
    </ol>
  );
}
