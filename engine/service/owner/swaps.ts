import type { LedgerRow as WireLedgerRow } from '../../contract/owner/ledger.ts';
import type { OwnerSwap } from '../../contract/owner/swaps.ts';
import type { SwapRecord } from '../../contract/records/swap.ts';
import { ownerDirectionOf, walletJobs, wireDirections } from '../../domain/chain.ts';
import { refuse, type Refusal } from '../../domain/errors.ts';
import { toHex } from '../../domain/hex.ts';
import { outpointKey } from '../../domain/outpoint.ts';
import { furthest, isHeight, type Locktime, type Unix } from '../../domain/time.ts';
import { withChecksum } from '../../domain/evm-address.ts';
import type { EvmSourceTerms, ExtraLock } from '../../swap/halves/evm/claim/terms.ts';
import type { ExtraCoin } from '../../swap/halves/extra-coins.ts';
import { queueOf } from '../../runtime/queue.ts';
import type { Entry } from '../../runtime/working-set.ts';
import type { LedgerRow } from '../../store/ledger.ts';
import type { ServiceContext } from '../context.ts';
import { unitsText } from './units-text.ts';
import { viewOf } from '../record.ts';
import { unlessSaved } from '../unsaved.ts';

/** All that is known of a swap. Secrets are not in terms or progress; bytes are shown as hex. */
export function swap(context: ServiceContext, id: string): OwnerSwap | Refusal | null {
  const entry = context.runtime.workingSet.readable(id);
  if (entry === null)
    return context.runtime.store.swaps.head(id) === null
      ? null
      : refuse(
          'unavailable',
          'This swap cannot be read from the database: start the newest build that ran here, or go back to the ' +
            'newest backup.',
        );
  const { row, machine } = entry;
  const { store } = context.runtime;
  const direction = ownerDirectionOf(machine.name);
  if (direction === undefined) throw new Error(`swap ${id} is of ${machine.name}, which has no direction`);
  const view = viewOf(context, entry);
  const extras = 'extras' in row.progress ? (row.progress.extras as readonly (ExtraCoin | ExtraLock)[]) : [];
  return {
    record: view === null ? null : ({ ...view.record, direction: wireDirections[view.direction] } as SwapRecord),
    direction,
    ...store.labels.of(id),
    at: row.progress.at,
    terms: plain(row.terms) as OwnerSwap['terms'],
    progress: { ...(plain(row.progress) as OwnerSwap['progress']), ...(row.flag === null ? {} : { flag: row.flag }) },
    journal: store.journal
      .of(id)
      .map(({ time, from, to, event, effects }) => ({ time, from, to, event, effects: [...effects] })),
    transactions: store.transactions.of(id).map((tx) => ({
      txid: tx.txid,
      network: tx.network,
      purpose: tx.purpose,
      state: tx.state,
      created: tx.createdAt,
      replaces: tx.replaces,
    })),
    ledger: store.ledger.of(id).map((one) => ledgerLine(context, one)),
    strays: extras.map((extra) => ({ ...strayOf(extra, entry), seen: row.updatedAt })),
    other_locks: otherLocks(context, entry),
  };
}

function otherLocks({ runtime: { store } }: ServiceContext, { machine, row }: Entry): number {
  const locks = (row.open ? machine.watches(row.terms, row.progress) : []).filter((one) => one.on === 'evm-lock');
  return locks.reduce((sum, { network, htlc, hash }) => sum + store.evmLocks.others({ network, htlc }, hash), 0);
}

/** A coin at the swap's script, or a lock on its EVM chain by the transaction that made it. */
export function strayOf(
  extra: ExtraCoin | ExtraLock,
  { machine, row: { terms } }: Entry,
): Omit<OwnerSwap['strays'][number], 'seen'> {
  if ('outpoint' in extra) {
    const network = machine.name.startsWith('bitcoin-') ? 'bitcoin' : 'arkade';
    return { network, coin: outpointKey(extra.outpoint), amount: extra.amount.toString() };
  }
  const { network } = terms as EvmSourceTerms;
  return { network, coin: `0x${extra.txid}`, amount: extra.lock.amount.toString() };
}

export function ledgerLine(context: ServiceContext, row: LedgerRow): WireLedgerRow {
  const entry = context.runtime.workingSet.readable(row.subject);
  return {
    time: row.time,
    swap_id: entry === null ? null : row.subject,
    pair: entry === null || entry.machine.name in walletJobs ? null : (ownerDirectionOf(entry.machine.name) ?? null),
    kind: row.kind,
    network: row.network,
    asset: withChecksum(row.asset),
    amount: unitsText(row),
  };
}

/** Engine values as plain JSON. */
function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString();
  if (value instanceof Uint8Array) return toHex(value);
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, plain(inner)]));
  return value;
}

/** Tries again what was given up, and now what rests. */
export function retry(context: ServiceContext, id: string): { at: string } | Refusal {
  const { workingSet, store, outbox } = context.runtime;
  const entry = workingSet.find(id);
  if (entry === null) return refuse('not-found', 'No swap has this id.');
  const effects = store.effects.of(id, () => undefined);
  if (effects.length === 0)
    return refuse(
      'forbidden',
      'Nothing of this swap was given up or waits for its next try: there is nothing to retry.',
    );
  const parked = effects.filter((row) => row.parked !== null);
  if (parked.length > 0) {
    const saved = store.atomically(() => {
      store.effects.unpark(id);
      return store.swaps.update({ ...entry.row, flag: null });
    });
    workingSet.keep(saved);
    outbox.add(parked.map((row) => ({ ...row, parked: null, due: 0 })));
  }
  // What was given up stands behind what rests. One that was tried a moment ago is not tried sooner for it.
  outbox.wake(id);
  return { at: entry.row.progress.at };
}

/**
 * A withdrawal is made again at a higher fee, a claim or refund on the chain as well, and a funding is paid for by a
 * child. Arkade and Lightning transactions carry no fee that could be raised, and those on EVM chains rise by
 * themselves.
 */
export function bump(context: ServiceContext, id: string): { at: string } | Refusal {
  const { workingSet, commits, store, outbox, raises } = context.runtime;
  const entry = workingSet.find(id);
  if (entry === null) return refuse('not-found', 'No swap has this id.');
  const delivered = commits.deliver(id, { is: 'bump.requested' });
  if (delivered === 'moved') return { at: workingSet.find(id)?.row.progress.at ?? '' };
  const unsaved = unlessSaved(delivered);
  if (unsaved !== null) return unsaved;
  const rows = store.effects.of(id, () => undefined).filter(({ parked }) => parked === null);
  const waiting = rows.flatMap(({ effect }) => (effect.do === 'onchain.broadcast' ? [effect] : []));
  const [first] = waiting;
  if (first === undefined)
    return refuse(
      'forbidden',
      rows.some(({ effect }) => effect.do === 'htlc.resend')
        ? 'The waiting claim is the client’s and pays for itself: this node cannot raise its fee.'
        : 'Nothing of this swap waits on the Bitcoin chain with a fee that could be raised.',
    );
  const raisable = waiting.filter(
    ({ push, capped, raiseFrom }) => push !== undefined || !capped || mayCostMore(context, raiseFrom),
  );
  const { raiseFrom } = first;
  if (raisable.length === 0)
    return refuse(
      'forbidden',
      raiseFrom === undefined
        ? 'It pays the most that it may cost: raise the ceilings in the settings if it has to pay more.'
        : `It pays the most that it may cost before ${raiseFrom} (unix time, by the clock of the chain), and more ` +
            'by itself from then on: raise ceilings.claimBps if it has to be sooner.',
    );
  for (const { leg } of raisable) raises.add(queueOf({ subject: id, leg }));
  outbox.wake(id);
  return { at: entry.row.progress.at };
}

function mayCostMore({ runtime }: ServiceContext, raiseFrom: Unix | undefined): boolean {
  return raiseFrom !== undefined && (furthest(runtime.clock.now().bitcoin).mtp ?? 0) >= raiseFrom;
}

function untilText(locktime: Locktime): string {
  return isHeight(locktime) ? `block ${locktime}` : `${locktime} (unix time), by the clock of the chain`;
}

/** Asks the swap to take back what we locked, which it does by itself once the locktime has passed. */
export function refund(context: ServiceContext, id: string): { at: string } | Refusal {
  const { workingSet, commits } = context.runtime;
  const entry = workingSet.find(id);
  if (entry === null) return refuse('not-found', 'No swap has this id.');
  const delivered = commits.deliver(id, { is: 'clock' });
  if (delivered === 'moved') return { at: workingSet.find(id)?.row.progress.at ?? entry.row.progress.at };
  const unsaved = unlessSaved(delivered);
  if (unsaved !== null) return unsaved;
  const deadline = entry.machine.deadline(entry.row.terms, entry.row.progress);
  return refuse(
    'forbidden',
    deadline === null
      ? 'There is nothing that could be taken back in this state.'
      : `It is locked until ${untilText(deadline)}.`,
  );
}
