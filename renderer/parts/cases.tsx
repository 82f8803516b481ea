import type { ReactNode } from 'react';
import { words } from '../words/words.ts';
import { Status, type Tone } from './status.tsx';

export interface Case {
  readonly key: string;
  readonly tone: Tone;
  readonly title: string;
  readonly time: ReactNode;
  readonly means: ReactNode;
}

/** What can happen, each with how long it takes and what it costs. The worst stands last. */
export function Cases({ cases, id }: { cases: readonly Case[]; id: string }) {
  return (
    <aside aria-labelledby={id}>
      <h2 id={id}>{words.parts.whatCanHappen}</h2>
      <ul className="cases mt-2">
        {cases.map(({ key, tone, title, time, means }) => (
          <li key={key}>
            <div className="row">
              <Status tone={tone}>{title}</Status>
              <span className="num">{time}</span>
            </div>
            <p className="sub">{means}</p>
          </li>
        ))}
      </ul>
    </aside>
  );
}
