import { Ruled } from '../../parts/costs.tsx';
import { Moment } from '../../parts/moment.tsx';
import { useRecords } from '../../stores/records.ts';
import { words } from '../../words/words.ts';
import type { SettingsInForce } from './use-settings.ts';

export function About({ settings }: SettingsInForce) {
  const status = useRecords((state) => state.status);
  const folder = settings?.['dataDir'];
  if (status === null) return null;
  return (
    <section aria-labelledby="about">
      <h2 id="about">{words.settings.sections.about}</h2>
      <p className="sub mb-4">{words.settings.aboutLead}</p>
      <Ruled
        rows={[
          { key: 'version', label: words.settings.version, amount: status.version },
          {
            key: 'network',
            label: words.settings.network,
            amount: words.shell.networks[status.network] ?? status.network,
          },
          {
            key: 'folder',
            label: words.settings.folder,
            amount: <span className="mono break-all">{typeof folder === 'string' ? folder : ''}</span>,
          },
          { key: 'since', label: words.settings.running, amount: <Moment at={status.started} /> },
        ]}
      />
    </section>
  );
}
