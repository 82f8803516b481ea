import { useId, type ReactNode } from 'react';
import { Icon, type IconName } from './icon.tsx';

export interface ButtonLook {
  /** At most one `main` on a screen; `hurt` cannot be undone. */
  readonly kind?: 'other' | 'main' | 'quiet' | 'hurt' | undefined;
  readonly size?: 'small' | 'tall' | 'inline' | undefined;
  readonly full?: boolean | undefined;
  readonly icon?: IconName | undefined;
  /** The name for who does not see, where the label is an icon or says too little. */
  readonly name?: string | undefined;
}

const kinds = { other: '', main: 'main-act', quiet: 'quiet', hurt: 'hurt' } as const;

function buttonClass({ kind = 'other', size, full = false }: ButtonLook, bare = false): string {
  return ['btn', kinds[kind], size ?? '', full ? 'full' : '', bare ? 'icon' : '']
    .filter((part) => part !== '')
    .join(' ');
}

/** While `busy` the label stays and presses do nothing; `notYet` says why it cannot be pressed, and when it can. */
export function Button({
  children,
  onPress,
  busy = false,
  notYet = null,
  submit = false,
  ...look
}: ButtonLook & {
  readonly children?: ReactNode;
  readonly onPress?: (() => void) | undefined;
  readonly busy?: boolean;
  readonly notYet?: ReactNode;
  readonly submit?: boolean;
}) {
  const why = useId();
  const off = busy || notYet !== null;
  const button = (
    <button
      type={submit ? 'submit' : 'button'}
      className={buttonClass(look, children === undefined)}
      aria-label={look.name}
      aria-busy={busy || undefined}
      aria-disabled={off || undefined}
      aria-describedby={notYet === null ? undefined : why}
      onClick={(event) => {
        if (off) event.preventDefault();
        else onPress?.();
      }}
    >
      {look.icon === undefined ? null : <Icon name={look.icon} />}
      {children}
      {busy ? '…' : null}
    </button>
  );
  if (notYet === null) return button;
  return (
    <span className={look.full === true ? 'grid gap-2' : 'row'}>
      {button}
      <span className="sub" id={why}>
        {notYet}
      </span>
    </span>
  );
}

/** A link that looks like a button: it goes somewhere and does nothing. */
export function ButtonLink({
  href,
  children,
  ...look
}: ButtonLook & { readonly href: string; readonly children: ReactNode }) {
  return (
    <a className={buttonClass(look)} href={href} aria-label={look.name}>
      {look.icon === undefined ? null : <Icon name={look.icon} />}
      {children}
    </a>
  );
}
