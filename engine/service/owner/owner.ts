import type { Config } from '../../config.ts';
import { invalidCursor } from '../pages.ts';
import type { AlertTest } from '../../contract/owner/alert-test.ts';
import type { Checklist } from '../../contract/owner/checklist.ts';
import type { Doctor } from '../../contract/owner/doctor.ts';
import type { BookLine } from '../../contract/owner/book-lines.ts';
import type { OwnerEvent } from '../../contract/owner/events.ts';
import type { Settings } from '../../contract/owner/settings.ts';
import type { OwnerService, TakerService } from '../../api/service.ts';
import { ownerDirections, wireDirections, type DirectionName, type WalletJob } from '../../domain/chain.ts';
import { isRefusal, refuse, type Refusal } from '../../domain/errors.ts';
import { severityOf } from '../../runtime/alert-names.ts';
import type { LogLines } from '../../runtime/log-lines.ts';
import type { Entry } from '../../runtime/working-set.ts';
import { rememberTest } from '../checklist/alerts.ts';
import { deployments } from '../checklist/deployment.ts';
import { rehearse } from '../checklist/rehearse.ts';
import type { BookRow, LedgerRow } from '../../store/ledger.ts';
import type { ServiceContext } from '../context.ts';
import { accounts, writeOff } from './accounts.ts';
import { earnings } from './earnings.ts';
import { liquidity } from './liquidity.ts';
import { developerKeys, newDeveloperKey } from './developer-keys.ts';
import { labelSwap } from './labels.ts';
import { createDisplay, type ReadFiat } from './display.ts';
import { createLastKnown } from './last-known.ts';
import { balancesNow, status, type StatusFacts } from './status.ts';
import { belowFloor, previewTerms } from './terms.ts';
import { swaps } from './swap-list.ts';
import { bump, ledgerLine, refund, retry, swap } from './swaps.ts';
import { walletAddress, walletExit, withdraw, withdrawalFees } from './wallets.ts';

const ledgerPage = 500;

/** The configuration as its owner sees and changes it. */
export interface OwnerSettings {
  /** As it is in force, a credential that is set as `true`. */
  shown(): Settings['settings'];
  /** What a change would put in force; nothing is changed. */
  propose(patch: Settings['settings']): Config | Refusal;
  change(patch: Settings['settings']): Promise<Settings['settings'] | Refusal>;
}

/** What only the owner may see and do. */
export function createOwner(
  context: ServiceContext,
  facts: StatusFacts & {
    settings: OwnerSettings;
    doctor: () => Promise<Doctor>;
    /** Left out by a node that connects nothing. */
    tryChange?: (patch: Settings['settings']) => Promise<Doctor | Refusal>;
    checklist?: () => Promise<Checklist>;
    logs: LogLines;
    taker?: TakerService;
    /** Left out by a node that tells nobody. */
    testAlerts?: () => Promise<AlertTest>;
    /** Left out by a node that asks nobody. */
    readFiat?: ReadFiat;
  },
): OwnerService {
  const { runtime, networks } = context;
  const { settings, taker } = facts;
  const current = () => status(context, facts);
  const lastKnown = createLastKnown(context, () => balancesNow(context));
  networks.onChange(lastKnown.note);

  return {
    status: current,
    swaps: (query, left) => swaps(context, query, left),
    swap: (id) => swap(context, id),
    retry: (id) => retry(context, id),
    bump: (id) => bump(context, id),
    refund: (id) => refund(context, id),
    label: (id, words) => labelSwap(context, id, words),
    pause(reason) {
      runtime.guard.pause(reason);
      return current();
    },
    resume() {
      const held = runtime.guard.held();
      if (held !== null && runtime.guard.paused() === held)
        return refuse(
          'forbidden',
          `The guard stopped new swaps and only the end of the cause lifts that: ${held.reason}`,
        );
      runtime.guard.resume();
      return current();
    },
    settings: () => ({ settings: settings.shown() }),
    async changeSettings(patch) {
      const proposed = settings.propose(patch);
      const refused = isRefusal(proposed) ? proposed : belowFloor(context, proposed.terms);
      if (refused !== null) return refused;
      const changed = await settings.change(patch);
      if (isRefusal(changed)) return changed;
      await Promise.all([runtime.wake(), networks.refresh()]);
      return { settings: changed };
    },
    previewTerms: (request) => previewTerms(context, settings, request),
    display: createDisplay(context, facts.readFiat ?? (() => Promise.reject(new Error('nobody is asked')))),
    doctor: facts.doctor,
    tryChange: facts.tryChange ?? (() => Promise.resolve({ rows: [] })),
    checklist: facts.checklist ?? (() => Promise.resolve({ live: context.live(), ready: false, steps: [] })),
    ...(taker === undefined ? {} : { taker, rehearse: (request) => rehearse(context, taker, request) }),
    ...deployments(context),
    async testAlerts() {
      const test = (await facts.testAlerts?.()) ?? { results: [] };
      rememberTest(context, test);
      return test;
    },
    logs(query) {
      if (query.before !== null && !Number.isSafeInteger(query.before)) return invalidCursor;
      const { lines, next, dropped } = facts.logs.page(query);
      return { lines, next_cursor: next === null ? null : String(next), dropped };
    },
    balances: () => ({ balances: [...balancesNow(context), ...lastKnown.away()] }),
    walletAddress: (network, request) => walletAddress(context, network, request),
    withdraw: (network, request) => withdraw(context, network, request),
    withdrawalFees: (network, request) => withdrawalFees(context, network, request),
    walletExit: (network) => walletExit(context, network),
    ledger(query) {
      const afterId = query.cursor === null ? 0 : Number(query.cursor);
      if (!Number.isSafeInteger(afterId)) return invalidCursor;
      const { ledger } = runtime.store;
      const rows = (query.format === 'books' ? ledger.lines : ledger.page)({
        from: query.from ?? 0,
        to: query.to ?? Number.MAX_SAFE_INTEGER,
        afterId,
        limit: ledgerPage + 1,
      });
      const page = rows.slice(0, ledgerPage);
      const lines = page
        .map((row) => ({ ...ledgerLine(context, row), ...sidesOf(row) }))
        .filter((row) => query.pair === null || row.pair === wireDirections[query.pair]);
      return { rows: lines, next_cursor: rows.length > ledgerPage ? String(page.at(-1)?.id) : null };
    },
    liquidity: () => liquidity(context),
    earnings: (query) => earnings(context, query),
    accounts: () => accounts(context),
    writeOff: (request) => writeOff(context, request),
    developerKeys: () => developerKeys(context),
    newDeveloperKey: (request) => newDeveloperKey(context, request),
    deleteDeveloperKey: (id) => runtime.store.developerKeys.remove(id),
    onEvent: (listener) => hear(context, current, listener),
  };
}

/** What a line of the books has beside one of the ledger. */
function sidesOf(row: LedgerRow | BookRow): Partial<BookLine> {
  return 'ends' in row ? { from: row.ends?.from ?? null, to: row.ends?.to ?? null, note: row.note } : {};
}

type Listener = (event: OwnerEvent) => void;

/** All that the owner hears of, until the answer is called. */
function hear(
  { runtime, networks }: ServiceContext,
  current: () => ReturnType<typeof status>,
  listener: Listener,
): () => void {
  const stops = [
    runtime.commits.onCommit(({ entry }) => tellOfSwap(entry, listener)),
    runtime.guard.onChange(() => listener({ type: 'status', status: current() })),
    networks.onChange((network) => {
      listener({ type: 'balance', network });
      listener({ type: 'status', status: current() });
    }),
    runtime.onAlert(({ swap: id, sentence, count }) =>
      listener({
        type: 'alert',
        time: runtime.clock.now().wall,
        severity: severityOf(id, sentence),
        sentence,
        ...(id === null ? {} : { swap_id: id }),
        ...(count === 1 ? {} : { count }),
      }),
    ),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}

function tellOfSwap({ row: { id, status: swapStatus, progress }, machine }: Entry, listener: Listener): void {
  const direction = ownerDirections[machine.name as DirectionName | WalletJob];
  const { at } = progress;
  if (direction !== undefined) listener({ type: 'swap', id, direction, status: swapStatus, at });
  else if (machine.name.startsWith('take-')) listener({ type: 'taker', id, status: swapStatus, at });
}
