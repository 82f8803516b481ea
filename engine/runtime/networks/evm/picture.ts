import { PortFailure } from '../../../domain/errors.ts';
import { asPreimage, sameBytes, type Sha256 } from '../../../domain/hash.ts';
import { toHex } from '../../../domain/hex.ts';
import type { SeenLock } from '../../../legs/evm/events.ts';
import { paidFor, type Paid } from '../../../legs/evm/paid.ts';
import type { EvmPort, EvmReceipt, EvmTip } from '../../../legs/evm/port.ts';
import type { LockTerms } from '../../../legs/evm/swap-key.ts';
import { isWanted, type WantedLocks } from '../../../legs/evm/wanted-locks.ts';
import { preimageMatches } from '../../../legs/secret.ts';
import type { LockEventRow } from '../../../store/evm-locks.ts';
import { ifKnown } from '../if-known.ts';

/**
 * Logs whose transactions were answered for, and by how many RPCs: in which block, and what a creation's said of its
 * price.
 */
export type Agreed = Map<string, { readonly height: number; readonly paid: Paid | null }>;

/**
 * Every lock of a hash that is wanted, as its rows tell, in the order of the chain. What two RPCs do not both say of
 * its transaction counts no block yet; `bySingleSource`: a creation does by those that answer, where none of them says
 * otherwise. An end never does: it would stop a claim (facts/faults.md 49).
 */
export async function pictureOf(
  { hash, wanted }: { readonly hash: Sha256; readonly wanted: WantedLocks },
  rows: readonly LockEventRow[],
  tip: EvmTip,
  {
    port,
    agreed,
    bySingleSource,
  }: { readonly port: EvmPort; readonly agreed: Agreed; readonly bySingleSource: boolean },
): Promise<readonly SeenLock[]> {
  /** Somebody's contract may make many locks by one transaction: it is asked for once. */
  const receipts = new Map<string, Promise<EvmReceipt | null>>();
  const locks = await Promise.all(
    rows
      .filter(({ event }) => event === 'created')
      .map((row) => ({
        row,
        lock: { terms: row.body as LockTerms, key: row.key, depositor: row.depositor },
      }))
      .filter(({ lock }) => isWanted(wanted, lock))
      .map(async ({ row, lock }): Promise<SeenLock> => ({
        ...lock,
        txid: row.txid,
        height: row.height,
        ...(await creationOf(row)),
        state: await stateOf(endsOf(row, hash, rows)),
      })),
  );
  return locks.filter((lock) => !locks.some((one) => standsFor(one, lock)));

  /** The deepest of its ends, and where no block has one the last that is told. */
  async function stateOf(ends: readonly LockEventRow[]): Promise<SeenLock['state']> {
    let deepest: SeenLock['state'] = { is: 'active' };
    for (const end of ends) {
      const { confirmations } = (await ifKnown(() => standing(end, { agreed: true }))) ?? { confirmations: 0 };
      if (deepest.is === 'active' || deepest.confirmations <= confirmations) deepest = stateAt(end, confirmations);
    }
    return deepest;
  }

  async function creationOf(row: LockEventRow): Promise<Pick<SeenLock, 'confirmations' | 'doubt' | 'paid'>> {
    try {
      const { confirmations, paid } = await standing(row, { agreed: !bySingleSource });
      return { confirmations, ...(paid === null ? {} : { paid }) };
    } catch (cause) {
      if (!(cause instanceof PortFailure)) throw cause;
      return { confirmations: 0, doubt: cause.message };
    }
  }

  async function standing(
    row: LockEventRow,
    how: { readonly agreed: boolean },
  ): Promise<{ readonly confirmations: number; readonly paid: Paid | null }> {
    const { txid, blockHash, key, depositor } = row;
    const transaction = `${txid} ${blockHash} ${how.agreed ? 'agreed' : 'by one word'}`;
    const whose = depositor instanceof Uint8Array ? depositor : null;
    const name = `${transaction} ${row.event} ${toHex(key)} ${whose === null ? '' : toHex(whose)}`;
    let answered = agreed.get(name);
    if (answered === undefined) {
      const answer = receipts.get(transaction) ?? port.receipt(txid, how);
      receipts.set(transaction, answer);
      const receipt = await answer;
      if (receipt === null || !receipt.ok || receipt.blockHash !== blockHash || !tells(receipt.events, row))
        return { confirmations: 0, paid: null };
      const paid = whose === null ? null : paidFor(receipt, { key, depositor: whose });
      answered = { height: receipt.height, paid };
      agreed.set(name, answered);
    }
    // One RPC's word for a lower height, of the log or of the receipt, buries nothing (facts/faults.md 356).
    const height = Math.max(row.height, answered.height);
    return { confirmations: Math.max(0, tip.height - height + 1), paid: answered.paid };
  }
}

/** How deep the claim of a lock is; -1 for a lock without one. */
function claimDepth({ state }: SeenLock): number {
  return state.is === 'redeemed' ? state.confirmations : -1;
}

/**
 * Whether one is what is told of another lock of its key as well (facts/faults.md 373): a transaction makes a lock
 * once, and what no block has is no second one beside a lock whose claim has a block. No other than one that is
 * claimed stands for a claim, so that no secret is lost; the deepest is never left out.
 */
function standsFor(one: SeenLock, lock: SeenLock): boolean {
  if (!sameBytes(one.key, lock.key)) return false;
  if (one.txid === lock.txid)
    return one.confirmations > lock.confirmations && (claimDepth(lock) < 0 || claimDepth(one) >= 0);
  return lock.confirmations === 0 && claimDepth(one) > Math.max(0, claimDepth(lock));
}

function stateAt({ event, body, txid }: LockEventRow, confirmations: number): SeenLock['state'] {
  return event === 'redeemed'
    ? { is: 'redeemed', preimage: asPreimage(body as Uint8Array), txid, confirmations }
    : { is: 'refunded', txid, confirmations };
}

function tells(
  events: readonly { readonly key: Uint8Array; readonly what: { readonly is: string } }[],
  row: LockEventRow,
): boolean {
  return events.some(({ key, what }) => what.is === row.event && sameBytes(key, row.key));
}

/**
 * What ended a lock after it was made, in the order of the chain: claims with a preimage that fits, whatever else is
 * told of its key, else refunds. How deep each is, its receipt says: an earlier one may be of a block that a
 * reorganisation replaced (facts/faults.md 288), a later one be made up (372).
 */
function endsOf(made: LockEventRow, hash: Sha256, rows: readonly LockEventRow[]): readonly LockEventRow[] {
  const later = (row: LockEventRow): boolean =>
    row.height > made.height || (row.height === made.height && row.logIndex > made.logIndex);
  const ends = rows.filter((row) => sameBytes(row.key, made.key) && later(row));
  const claims = ends.filter(
    ({ event, body }) => event === 'redeemed' && preimageMatches(hash, body as Uint8Array) !== null,
  );
  return claims.length > 0 ? claims : ends.filter(({ event }) => event === 'refunded');
}
