import { Loading } from '../../parts/empty.tsx';
import { Note } from '../../parts/note.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { hrefTo } from '../../stores/route.ts';
import { logsWords } from '../../words/logs-words.ts';
import { words } from '../../words/words.ts';
import { About } from './about.tsx';
import { alerts, caps, ceilings } from './groups.ts';
import { AlertTest } from './alert-test.tsx';
import { Keys } from './keys.tsx';
import { Look } from './look.tsx';
import { NetworkChecks } from './network-checks.tsx';
import { Group } from './group.tsx';
import { Prices } from './prices.tsx';
import { ProvidersInForce } from './providers.tsx';
import { useSettings, type SettingsInForce } from './use-settings.ts';

type Section = keyof typeof words.settings.sections;
const sections = Object.keys(words.settings.sections) as Section[];

/** One section at a time; the list beside it is the way between them. */
export function SettingsPage({ rest: [given] }: { rest: readonly string[] }) {
  const section = sections.find((name) => name === given) ?? 'networks';
  const inForce = useSettings();
  return (
    <>
      <PageHead title={words.settings.title} />
      <div className="with-toc">
        <nav className="toc" aria-label={words.settings.title}>
          <ul>
            {sections.map((name) => (
              <li key={name}>
                <a href={hrefTo('settings', name)} aria-current={name === section ? 'page' : undefined}>
                  {words.settings.sections[name]}
                </a>
              </li>
            ))}
            <li>
              <a href={hrefTo('logs')}>{logsWords.title}</a>
            </li>
          </ul>
        </nav>
        <div className="min-w-0">
          {inForce.trouble === null ? null : (
            <Note tone="need" alert>
              {inForce.trouble}
            </Note>
          )}
          {inForce.settings === null ? <Loading rows={6} /> : <Shown key={section} section={section} {...inForce} />}
        </div>
      </div>
    </>
  );
}

function Shown({ section, ...inForce }: SettingsInForce & { section: Section }) {
  const { sections: titles, ...text } = words.settings;
  switch (section) {
    case 'networks':
      return <NetworkChecks {...inForce} />;
    case 'terms':
      return (
        <div className="gap">
          <Prices title={titles.terms} lead={text.termsLead} {...inForce} />
          <ProvidersInForce {...inForce} />
        </div>
      );
    case 'caps':
      return (
        <div className="gap">
          <Group title={text.capsTitle} lead={text.capsLead} fields={caps} {...inForce} />
          <Group title={text.ceilingsTitle} lead={text.ceilingsLead} fields={ceilings} {...inForce} />
        </div>
      );
    case 'alerts':
      return (
        <div className="gap">
          <Group title={titles.alerts} lead={text.alertsLead} fields={alerts} {...inForce} />
          <AlertTest />
        </div>
      );
    case 'keys':
      return <Keys {...inForce} />;
    case 'look':
      return <Look {...inForce} />;
    case 'about':
      return <About {...inForce} />;
  }
}
