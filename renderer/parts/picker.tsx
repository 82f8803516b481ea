import { Select } from '@base-ui/react/select';
import type { ReactNode } from 'react';
import { Icon, type IconName } from './icon.tsx';

export interface Option<T extends string> {
  readonly value: T;
  readonly label: string;
  /** Behind the label, quieter. */
  readonly detail?: string;
  readonly icon?: IconName;
  /** Why it cannot be picked now; it stays in the list. */
  readonly notNow?: string;
}

/** One of a list. The button says what is picked; `purpose` says what for, to who does not see. */
export function Picker<T extends string>({
  value,
  options,
  onPick,
  purpose,
}: {
  value: T;
  options: readonly Option<T>[];
  onPick: (value: T) => void;
  purpose: string;
}) {
  const current = options.find((option) => option.value === value);
  return (
    <Select.Root value={value} onValueChange={(next) => (next === null ? undefined : onPick(next))}>
      <Select.Trigger
        className="btn net"
        aria-label={`${purpose} ${current?.label ?? ''} ${current?.detail ?? ''}`.trim()}
      >
        <Label option={current} />
        <Icon name="right" className="chev" />
      </Select.Trigger>
      <Select.Portal>
        <Select.Positioner className="floats" sideOffset={4} align="end" alignItemWithTrigger={false}>
          <Select.Popup className="choices-list" aria-label={purpose}>
            {options.map((option) => (
              <Select.Item key={option.value} value={option.value} disabled={option.notNow !== undefined}>
                <Label option={option} />
              </Select.Item>
            ))}
          </Select.Popup>
        </Select.Positioner>
      </Select.Portal>
    </Select.Root>
  );
}

function Label({ option }: { option: Option<string> | undefined }): ReactNode {
  if (option === undefined) return null;
  return (
    <>
      {option.icon === undefined ? null : <Icon name={option.icon} />}
      <span>
        {option.label} <span className="sub">{option.notNow ?? option.detail}</span>
      </span>
    </>
  );
}
