import type { Setting } from './form.ts';
import { SettingsForm } from './settings-form.tsx';
import type { SettingsInForce } from './use-settings.ts';

/** A heading, what it is about, and the settings below. */
export function Group({
  title,
  lead,
  fields,
  settings,
  change,
}: SettingsInForce & { title: string; lead: string; fields: readonly Setting[] }) {
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      <p className="sub mb-4">{lead}</p>
      {settings === null ? null : <SettingsForm settings={settings} fields={fields} change={change} name={title} />}
    </section>
  );
}
