import { useId, type ReactNode } from 'react';

/** A line with what is switched, what it means, and the switch. */
export function Toggle({
  label,
  means,
  on,
  onSwitch,
  busy = false,
}: {
  label: ReactNode;
  means?: ReactNode;
  on: boolean;
  onSwitch: (on: boolean) => void;
  busy?: boolean;
}) {
  const id = useId();
  return (
    <div className="toggle">
      <div>
        <label htmlFor={id}>{label}</label>
        <p className="sub" id={`${id}-means`}>
          {means}
        </p>
      </div>
      <input
        id={id}
        type="checkbox"
        role="switch"
        className="switch"
        checked={on}
        aria-busy={busy || undefined}
        aria-describedby={`${id}-means`}
        onChange={(event) => (busy ? undefined : onSwitch(event.currentTarget.checked))}
      />
    </div>
  );
}

/** The same line with something else at its end. */
export function ToggleLine({ label, means, children }: { label: ReactNode; means?: ReactNode; children: ReactNode }) {
  return (
    <div className="toggle">
      <div>
        <p>{label}</p>
        <p className="sub">{means}</p>
      </div>
      {children}
    </div>
  );
}
