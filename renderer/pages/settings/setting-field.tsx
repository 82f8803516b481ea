import { useId, type ReactNode } from 'react';
import { Field } from '../../parts/field.tsx';
import { words } from '../../words/words.ts';
import type { Setting } from './form.ts';

const units = { sats: 'sats', bps: '%', text: null, list: null, secret: null, bytes: null } as const;

/** One setting as it is typed; `below` is what else can fill it in. */
export function SettingField({
  field,
  text,
  wrong,
  onText,
  below,
}: {
  field: Setting;
  text: string;
  wrong: boolean;
  onText: (text: string) => void;
  below?: ReactNode;
}) {
  const unit = units[field.is];
  const unitId = useId();
  const error = wrong ? (field.is === 'bps' ? words.settings.notAShare : words.settings.notSats) : null;
  return (
    <Field label={field.label} hint={field.hint} error={error}>
      {(tie) =>
        field.is === 'list' || field.is === 'bytes' ? (
          <>
            <textarea
              {...tie}
              className="in mono"
              rows={3}
              spellCheck={false}
              autoComplete="off"
              value={text}
              onChange={(event) => onText(event.currentTarget.value)}
            />
            {below}
          </>
        ) : (
          <div className="row flex-nowrap gap-2">
            <input
              {...tie}
              className={unit === null ? 'in mono' : 'in num'}
              type={field.is === 'secret' ? 'password' : 'text'}
              inputMode={unit === null ? 'text' : 'decimal'}
              autoComplete="off"
              spellCheck={false}
              value={text}
              onChange={(event) => onText(event.currentTarget.value)}
            />
            {unit === null ? null : (
              <span className="sub" id={unitId}>
                {unit}
              </span>
            )}
          </div>
        )
      }
    </Field>
  );
}
