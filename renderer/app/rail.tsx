import { amountText } from '../format/amount.ts';
import { Mark } from '../parts/brand.tsx';
import { Icon } from '../parts/icon.tsx';
import { Moment } from '../parts/moment.tsx';
import { Status } from '../parts/status.tsx';
import type { Flight } from '../records/flight.ts';
import { useRecords } from '../stores/records.ts';
import { hrefTo } from '../stores/route.ts';
import { words } from '../words/words.ts';
import { firstPage, pages, type Count, type PageEntry, type RailFacts } from './pages.ts';

/** One rail, two groups; under 720 px a bar at the bottom. Its foot says the promise on every page. */
export function Rail({ current, facts }: { current: string; facts: RailFacts }) {
  const shown = pages.filter((page) => page.rail !== undefined && (page.when?.(facts) ?? true));
  const of = (group: 'money' | 'node' | 'below') =>
    shown
      .filter((page) => page.rail?.group === group)
      .map((page) => <RailLink key={page.path} page={page} current={page.path === current} facts={facts} />);
  const node = of('node');
  const below = of('below');
  return (
    <nav className="rail" aria-label={words.shell.main}>
      <a className="brand" href={hrefTo(firstPage)}>
        <Mark />
        {words.shell.name}
        <NetworkName sandbox={facts.sandbox} />
      </a>
      <section aria-labelledby="rail-money">
        <h2 id="rail-money">{words.shell.yourMoney}</h2>
        <ul>{of('money')}</ul>
      </section>
      {node.length === 0 ? null : (
        <section aria-labelledby="rail-node">
          <h2 id="rail-node">{words.shell.yourNode}</h2>
          <ul>{node}</ul>
        </section>
      )}
      {below.length === 0 ? null : <ul>{below}</ul>}
      <RailFoot facts={facts} />
    </nav>
  );
}

function NetworkName({ sandbox }: { sandbox: boolean }) {
  const network = useRecords((state) => state.status?.network);
  if (sandbox) return <small>{words.shell.sandbox}</small>;
  return network === undefined ? null : <small>{words.shell.networks[network] ?? network}</small>;
}

function RailLink({ page, current, facts }: { page: PageEntry; current: boolean; facts: RailFacts }) {
  const { rail } = page;
  if (rail === undefined) return null;
  return (
    <li>
      <a href={hrefTo(page.path)} aria-current={current ? 'page' : undefined}>
        <Icon name={rail.icon} />
        {rail.label}
        <RailCount count={page.count?.(facts) ?? null} />
      </a>
    </li>
  );
}

const counted = {
  open: (count: number) => words.shell.openCount(count),
  need: (count: number) => words.shell.needCount(count),
  danger: (count: number) => words.shell.needCount(count),
} as const;

function RailCount({ count }: { count: Count | null }) {
  if (count === null || count.count === 0) return null;
  return (
    <span className={`count ${count.tone === 'open' ? '' : count.tone}`}>
      <span aria-hidden="true">{count.count}</span>
      <span className="sr">{counted[count.tone](count.count)}</span>
    </span>
  );
}

/**
 * What is under way of the owner's own, and what clients' swaps hang on. May it be closed? Only a node that answers can
 * say so.
 */
export function InFlight({ flight, reached }: { flight: Flight; reached: boolean }) {
  const atRisk = useRecords((state) => state.status?.at_risk_sats ?? 0);
  if (flight.amounts.length > 0)
    return (
      <>
        <b className="num">{words.shell.inFlight(flight.amounts.map(amountText).join(words.shell.and))}</b>
        {flight.backNow ? (
          words.shell.backNow
        ) : flight.backBy === null ? (
          words.shell.noBackBy
        ) : (
          <>
            {words.shell.backBy} <Moment at={flight.backBy} />
          </>
        )}
      </>
    );
  if (!reached) return <b>{words.shell.unknownNow}</b>;
  if (atRisk > 0)
    return (
      <>
        <b className="num">{words.shell.atRisk(amountText({ amount: String(atRisk), decimals: 0, symbol: 'sats' }))}</b>
        {words.shell.keepRunning}
      </>
    );
  return (
    <>
      <b>{words.shell.nothingInFlight}</b>
      {flight.open === 0 ? words.shell.mayClose : words.shell.mayCloseUnpaid}
    </>
  );
}

function RailFoot({ facts }: { facts: RailFacts }) {
  const { flight } = facts;
  const trouble = useRecords((state) => state.trouble);
  const leave = useRecords((state) => state.leave);
  return (
    <div className="rail-foot">
      <p>
        <InFlight flight={flight} reached={trouble === null} />
      </p>
      {trouble === null ? (
        <Status tone="safe">{flight.open === 0 ? words.shell.running : words.shell.watching(flight.open)}</Status>
      ) : (
        <Status tone="need">{words.shell.notRunning}</Status>
      )}
      {window.sluice === undefined ? (
        <>
          <a className="hint mt-2 block" href="docs/" target="_blank">
            {words.shell.documents}
          </a>
          <button type="button" className="linkish hint mt-2 block" onClick={leave}>
            {words.shell.forget}
          </button>
        </>
      ) : (
        // The desktop has one window: its documents lead back to the page.
        <a className="hint mt-2 block" href="docs/index.html">
          {words.shell.documents}
        </a>
      )}
    </div>
  );
}
