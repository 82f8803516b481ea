import { Menu as Base } from '@base-ui/react/menu';
import type { ReactNode } from 'react';
import { buttonClass, type ButtonLook } from './button.tsx';
import { Icon, type IconName } from './icon.tsx';

export interface Choice {
  readonly label: ReactNode;
  readonly icon?: IconName;
  readonly act: () => void;
}

/** A button that opens a list of acts. */
export function Menu({ children, choices, ...look }: ButtonLook & { children: ReactNode; choices: readonly Choice[] }) {
  return (
    <Base.Root>
      <Base.Trigger className={buttonClass(look)} aria-label={look.name}>
        {look.icon === undefined ? null : <Icon name={look.icon} />}
        {children}
        <Icon name="right" className="dn" />
      </Base.Trigger>
      <Base.Portal>
        <Base.Positioner className="floats" sideOffset={4} align="end">
          <Base.Popup className="choices-list">
            {choices.map(({ label, icon, act }, place) => (
              <Base.Item key={place} onClick={act}>
                {icon === undefined ? null : <Icon name={icon} />}
                {label}
              </Base.Item>
            ))}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
