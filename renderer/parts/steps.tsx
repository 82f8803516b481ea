import type { ReactNode } from 'react';
import { Icon, type IconName } from './icon.tsx';

export interface Step {
  readonly key: string;
  readonly title: ReactNode;
  readonly when?: ReactNode;
  readonly detail?: ReactNode;
  readonly state: 'done' | 'current' | 'later';
  /** Whose turn it is: a current step of the owner's is a diamond. */
  readonly yours?: boolean;
  readonly icon?: IconName;
}

/** What was, what is, what comes, from top to bottom. Each new step is spoken. */
export function Steps({ steps, label }: { steps: readonly Step[]; label: string }) {
  return (
    <ol className="steps" aria-label={label} aria-live="polite">
      {steps.map(({ key, title, when, detail, state, yours = false, icon }) => (
        <li
          key={key}
          className={state === 'done' ? 'done' : state === 'current' ? 'cur' : undefined}
          aria-current={state === 'current' ? 'step' : undefined}
        >
          <Icon
            name={icon ?? shape(state, yours)}
            className={state === 'done' ? 'safe' : yours && state === 'current' ? 'need' : 'wait'}
          />
          <span className={`t${state === 'later' ? ' later' : ''}`}>{title}</span>
          <span className="when">{when}</span>
          {detail === undefined ? null : <p className="sub">{detail}</p>}
        </li>
      ))}
    </ol>
  );
}

function shape(state: Step['state'], yours: boolean): IconName {
  if (state === 'done') return 'safe';
  if (state === 'later') return 'todo';
  return yours ? 'need' : 'wait';
}
