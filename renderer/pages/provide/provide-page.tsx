import { directionNames } from '../../../engine/domain/chain.ts';
import { figureText } from '../../format/amount.ts';
import { networkName } from '../../format/networks.ts';
import { ButtonLink } from '../../parts/button.tsx';
import { Loading } from '../../parts/empty.tsx';
import { Outcome } from '../../parts/outcome.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { Status } from '../../parts/status.tsx';
import { Toggle } from '../../parts/toggle.tsx';
import { useActing } from '../../stores/acting.ts';
import { useReached } from '../../stores/reached.ts';
import { client, useRecords } from '../../stores/records.ts';
import { hrefTo } from '../../stores/route.ts';
import { boardWords } from '../../words/board-words.ts';
import { directionWords } from '../../words/direction-words.ts';
import { ChecklistPage, ToChecklist } from './checklist.tsx';
import { useSettings } from '../settings/use-settings.ts';
import { words } from '../../words/words.ts';

const { provide } = boardWords;

/** The way to a node that is live, and once it is, what it swaps with others. */
export function ProvidePage({ rest: [what] }: { rest: readonly string[] }) {
  const live = useRecords((state) => state.status?.live);
  if (live === undefined) return <Loading rows={8} />;
  return live && what !== 'checklist' ? <Providing /> : <ChecklistPage live={live} />;
}

/** Whether this node swaps with others, on what terms, over which networks, and where others find it. */
function Providing() {
  return (
    <>
      <PageHead title={words.shell.provide} lead={provide.lead}>
        <span className="row">
          <ToChecklist />
          <ButtonLink href={hrefTo('board')} icon="board">
            {provide.toBoard}
          </ButtonLink>
        </span>
      </PageHead>
      <NewSwaps />
      <Terms />
      <Networks />
      <section className="section" aria-labelledby="provide-where">
        <h2 id="provide-where">{provide.where}</h2>
        <p className="prose sub mt-2">{provide.whereMeans}</p>
      </section>
    </>
  );
}

function NewSwaps() {
  const status = useRecords((state) => state.status);
  const reached = useReached();
  const { busy, outcome, run } = useActing();
  if (status === null) return null;
  const { paused } = status;
  const change = (on: boolean) =>
    run('pause', async () => {
      if (on) await client().call('ownerResume', { body: {} });
      else await client().call('ownerPause', { body: { reason: words.settings.pauseReason } });
      return words.settings.saved;
    });
  return (
    <div className="max-w-lg">
      <Toggle
        label={words.settings.newSwaps}
        means={paused?.by === 'guard' ? words.settings.guardPaused(paused.reason) : words.settings.newSwapsMeans}
        on={paused === null}
        busy={busy !== null || !reached}
        onSwitch={(on) => void change(on)}
      />
      <Outcome outcome={outcome} />
    </div>
  );
}

interface OwnTerms {
  readonly feeBps?: number;
  readonly minSats?: number;
  readonly maxSats?: number;
  readonly directions?: Readonly<Record<string, object>>;
}

function Terms() {
  const { settings } = useSettings();
  const terms = (settings?.['terms'] ?? null) as OwnTerms | null;
  if (terms === null) return null;
  const { feeBps, minSats, maxSats, directions = {} } = terms;
  const own = directionNames.filter((name) => Object.keys(directions[name] ?? {}).length > 0);
  const sats = (amount: number | undefined) =>
    amount === undefined ? words.parts.costsUnknown : boardWords.sats(figureText(String(amount), 0));
  const rows = [
    [
      words.settings.fields.fee,
      feeBps === undefined ? words.parts.costsUnknown : words.parts.percent(String(feeBps / 100)),
    ],
    [words.settings.fields.least, sats(minSats)],
    [words.settings.fields.most, sats(maxSats)],
    ...(own.length === 0 ? [] : [[provide.ownPrices, own.map((name) => directionWords[name]).join(', ')]]),
  ];
  return (
    <section className="section" aria-labelledby="provide-terms">
      <div className="row apart">
        <h2 id="provide-terms">{provide.terms}</h2>
        <a href={hrefTo('settings', 'terms')}>{provide.change}</a>
      </div>
      <dl className="facts ruled mt-2">
        {rows.map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

const tones = { connected: 'safe', away: 'need', absent: 'off' } as const;

function Networks() {
  const networks = useRecords((state) => state.status?.networks) ?? [];
  return (
    <section className="section" aria-labelledby="provide-networks">
      <div className="row apart">
        <h2 id="provide-networks">{provide.networks}</h2>
        <a href={hrefTo('settings', 'networks')}>{provide.connect}</a>
      </div>
      <ul className="mt-2">
        {networks.map(({ name, state }) => (
          <li key={name}>
            <Status tone={tones[state]}>
              {networkName(name)}: {provide.states[state]}
            </Status>
          </li>
        ))}
      </ul>
    </section>
  );
}
