import { useId, type ReactNode } from 'react';
import { FieldError } from './field.tsx';

/** The largest figure of a form: what is given or what is got, with its asset beside it and its limits below. */
export function AmountField({
  label,
  aside,
  text,
  onText,
  asset,
  hint,
  error = null,
  placeholder,
  readOnly = false,
}: {
  label: ReactNode;
  /** Beside the label: what it is about in another measure. */
  aside?: ReactNode;
  text: string;
  onText?: (text: string) => void;
  asset: ReactNode;
  hint?: ReactNode;
  error?: ReactNode;
  placeholder: string;
  readOnly?: boolean;
}) {
  const id = useId();
  return (
    <div className="leg">
      <div className="between">
        <label htmlFor={id}>{label}</label>
        <span className="hint">{aside}</span>
      </div>
      <div className="leg-row">
        <input
          id={id}
          className="amount"
          inputMode="decimal"
          autoComplete="off"
          placeholder={placeholder}
          value={text}
          readOnly={readOnly}
          aria-describedby={`${id}-below`}
          aria-invalid={error === null ? undefined : true}
          onChange={(event) => onText?.(event.currentTarget.value)}
        />
        {asset}
      </div>
      <div className="between" id={`${id}-below`}>
        {error === null ? hint : <FieldError>{error}</FieldError>}
      </div>
    </div>
  );
}
