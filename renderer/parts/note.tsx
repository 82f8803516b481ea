import type { ReactNode } from 'react';
import { Icon } from './icon.tsx';
import { toneIcons, type Tone } from './status.tsx';

/** One sentence that must not be missed; at most one above the fold. `alert` interrupts who listens. */
export function Note({
  tone,
  title,
  children,
  actions,
  alert = false,
}: {
  tone: Exclude<Tone, 'off'>;
  title?: ReactNode;
  children?: ReactNode;
  actions?: ReactNode;
  alert?: boolean;
}) {
  return (
    <div className={`note ${tone}`} role={alert ? 'alert' : undefined}>
      <Icon name={toneIcons[tone]} />
      <div>
        {title === undefined ? null : (
          <p>
            <strong>{title}</strong>
          </p>
        )}
        {children === undefined ? null : <p>{children}</p>}
        {actions === undefined ? null : <div className="row">{actions}</div>}
      </div>
    </div>
  );
}

/** The promise: under the title, or where it is paid, as long as money is on its way. */
export function Promised({ tone = 'safe', children }: { tone?: Exclude<Tone, 'off'>; children: ReactNode }) {
  return (
    <p className="tell">
      <Icon name={toneIcons[tone]} className={tone} />
      <span>{children}</span>
    </p>
  );
}
