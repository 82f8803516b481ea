import type { ReactNode } from 'react';
import { Icon, type IconName } from './icon.tsx';

/** Shape, then word, then colour. `off` is what is not in use. */
export type Tone = 'safe' | 'wait' | 'need' | 'danger' | 'off';

export const toneIcons = {
  safe: 'safe',
  wait: 'wait',
  need: 'need',
  danger: 'danger',
  off: 'none',
} as const satisfies Record<Tone, IconName>;

export function Status({ tone, children, small = false }: { tone: Tone; children: ReactNode; small?: boolean }) {
  return (
    <span className={`st ${tone}${small ? ' sub' : ''}`}>
      <Icon name={toneIcons[tone]} />
      {children}
    </span>
  );
}

export function Pill({ tone, children }: { tone: Tone; children: ReactNode }) {
  return (
    <span className={`pill st ${tone}`}>
      <Icon name={toneIcons[tone]} />
      {children}
    </span>
  );
}
