import { useId, type InputHTMLAttributes, type ReactNode } from 'react';
import { Icon } from './icon.tsx';

/** What ties an input to its label, hint and error. */
export interface Tie {
  readonly id: string;
  readonly 'aria-describedby': string | undefined;
  readonly 'aria-invalid': true | undefined;
}

export interface FieldWords {
  readonly label: ReactNode;
  readonly hint?: ReactNode;
  /** What is wrong and the nearest valid value, as a button; null while nothing is. */
  readonly error?: ReactNode;
}

/** A label above, a hint or an error below, tied to whatever input stands between. */
export function Field({ label, hint, error = null, children }: FieldWords & { children: (tie: Tie) => ReactNode }) {
  const id = useId();
  const below = `${id}-below`;
  const note = error ?? hint ?? null;
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children({
        id,
        'aria-describedby': note === null ? undefined : below,
        'aria-invalid': error === null ? undefined : true,
      })}
      <div id={below} className="empty:hidden">
        {error === null ? <FieldHint hint={hint} /> : <FieldError>{error}</FieldError>}
      </div>
    </div>
  );
}

function FieldHint({ hint }: { hint: ReactNode }) {
  return hint === undefined || hint === null ? null : <div className="hint">{hint}</div>;
}

export function FieldError({ children }: { children: ReactNode }) {
  return (
    <p className="err" role="alert">
      <Icon name="need" />
      <span>{children}</span>
    </p>
  );
}

export function TextField({
  label,
  hint,
  error,
  value,
  onText,
  mono = false,
  ...input
}: FieldWords & {
  value: string;
  onText: (text: string) => void;
  mono?: boolean;
} & Pick<
    InputHTMLAttributes<HTMLInputElement>,
    'type' | 'inputMode' | 'placeholder' | 'autoComplete' | 'required' | 'autoFocus' | 'spellCheck'
  >) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(tie) => (
        <input
          {...tie}
          {...input}
          className={`in ${mono ? 'mono' : ''}`}
          value={value}
          onChange={(event) => onText(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}

/** A value that is offered: pressing it fills it in. */
export function Offer({ children, onPress }: { children: ReactNode; onPress: () => void }) {
  return (
    <button type="button" className="linkish" onClick={onPress}>
      {children}
    </button>
  );
}
