import type { ReactNode } from 'react';
import { keyOf, type Setting } from './form.ts';
import { SettingField } from './setting-field.tsx';
import type { Typed } from './use-typed.ts';

/** Fields beside each other, as they are typed; `below` is what else can fill one in. */
export function SettingFields({
  fields,
  typed: { wrong, textOf, setText },
  below,
}: {
  fields: readonly Setting[];
  typed: Pick<Typed, 'wrong' | 'textOf' | 'setText'>;
  below?: (field: Setting) => ReactNode;
}) {
  return (
    <div className="grid items-start gap-x-5 gap-y-3 sm:grid-cols-2">
      {fields.map((field) => (
        <SettingField
          key={keyOf(field)}
          field={field}
          text={textOf(field)}
          wrong={wrong.includes(keyOf(field))}
          onText={(text) => setText(field, text)}
          below={below?.(field)}
        />
      ))}
    </div>
  );
}
