import { CSPProvider } from '@base-ui/react/csp-provider';
import { Suspense, useEffect } from 'react';
import { flightOf } from '../records/flight.ts';
import { Loading } from '../parts/empty.tsx';
import { onDemand } from '../parts/on-demand.tsx';
import { needsSetup } from '../pages/setup/needs-setup.ts';
import { useFollowing } from '../stores/following.ts';
import { useRecords } from '../stores/records.ts';
import { useRoute } from '../stores/route.ts';
import { useSetup } from '../stores/setup.ts';
import { Gate } from './gate.tsx';
import { fetchSoon } from './later.ts';
import { firstPage, pages, type PageEntry, type RailFacts } from './pages.ts';
import { Shell } from './shell.tsx';
import { NotLoaded } from './not-loaded.tsx';
import { NotHere } from './not-here.tsx';

// The desktop's alone: a browser never sees it.
const FirstRun = onDemand(async () => (await import('../pages/setup/first-run.tsx')).FirstRun, NotLoaded);

/** What the first page itself fetches goes first. */
const quietMs = 500;

/** The policy of the page allows no style elements: the parts bring none. */
export function App() {
  return (
    <CSPProvider disableStyleElements>
      <Opened />
    </CSPProvider>
  );
}

function Opened() {
  useFollowing();
  const connected = useRecords((state) => state.connection !== null);
  const facts = useFacts();
  const keys = useSetup();
  const [path = firstPage, ...rest] = useRoute();
  const entry = pages.find((page) => page.path === path && (page.when?.(facts) ?? true));
  useTitle(entry);
  useEffect(() => {
    if (!connected) return undefined;
    const timer = setTimeout(fetchSoon, quietMs);
    return () => clearTimeout(timer);
  }, [connected]);
  const setup = window.sluice?.setup;
  if (setup !== undefined && keys !== null && needsSetup(keys)) return <FirstRun setup={setup} state={keys} />;
  if (!connected) return <Gate />;
  if (entry?.bare === true) return <entry.Page rest={rest} />;
  return (
    <Shell current={entry?.under ?? path} facts={facts} wide={entry?.wide === true}>
      {entry === undefined ? (
        <NotHere />
      ) : (
        <Suspense key={path} fallback={<Loading rows={8} />}>
          <entry.Page rest={rest} />
        </Suspense>
      )}
    </Shell>
  );
}

function useFacts(): RailFacts {
  const swaps = useRecords((state) => state.swaps);
  const sandbox = useRecords((state) => state.sandbox !== null);
  return { flight: flightOf(swaps ?? []), sandbox };
}

/** A new page is a new title, and the reading goes on at its top. */
function useTitle(entry: PageEntry | undefined): void {
  useEffect(() => {
    document.title = entry?.rail === undefined ? 'Sluice' : `${entry.rail.label} · Sluice`;
    scrollTo(0, 0);
  }, [entry]);
}
