import { PortFailure } from '../../../domain/errors.ts';
import { asEvmAddress } from '../../../domain/evm.ts';
import { asPreimage, sameBytes, type Sha256 } from '../../../domain/hash.ts';
import type { SeenLock } from '../../../legs/evm/events.ts';
import type { EvmPort, EvmTip } from '../../../legs/evm/port.ts';
import type { LockTerms } from '../../../legs/evm/swap-key.ts';
import { preimageMatches } from '../../../legs/secret.ts';
import type { LockEventRow } from '../../../store/evm-locks.ts';
import { ifKnown } from '../if-known.ts';

/** Locks that a machine hears of for one hash: the largest, for anybody may make small ones to us. */
const most = 32;

/** Blocks that were answered for, by transaction, and by how many RPCs. */
export type Agreed = Map<string, true>;

/**
 * Every lock of a hash as its rows tell. What two RPCs do not both say of its transaction counts no block yet; `oneWord`: a creation
 * does by those that answer, where none of them says otherwise. An end never does: it would stop a claim (facts/faults.md 49).
 */
export async function pictureOf(
  hash: Sha256,
  rows: readonly LockEventRow[],
  tip: EvmTip,
  { port, agreed, oneWord }: { readonly port: EvmPort; readonly agreed: Agreed; readonly oneWord: boolean },
): Promise<readonly SeenLock[]> {
  const made = rows
    .filter(({ event }) => event === 'created')
    .map((row) => ({ row, terms: row.body as LockTerms }))
    .sort((a, b) => (a.terms.amount < b.terms.amount ? 1 : -1))
    .slice(0, most);
  const locks: SeenLock[] = [];
  for (const { row, terms } of made) {
    const end = endOf(row, hash, rows);
    locks.push({
      terms,
      key: row.key,
      txid: row.txid,
      height: row.height,
      ...(await creationOf(row)),
      depositor: row.depositor === null ? null : asEvmAddress(row.depositor),
      state: end === null ? { is: 'active' } : await stateOf(end),
    });
  }
  return locks;

  async function stateOf(end: LockEventRow): Promise<SeenLock['state']> {
    const { txid } = end;
    const confirmations = (await ifKnown(() => confirmationsOf(end, { agreed: true }))) ?? 0;
    return end.event === 'redeemed'
      ? { is: 'redeemed', preimage: asPreimage(end.body as Uint8Array), txid, confirmations }
      : { is: 'refunded', txid, confirmations };
  }

  async function creationOf(row: LockEventRow): Promise<Pick<SeenLock, 'confirmations' | 'doubt'>> {
    try {
      return { confirmations: await confirmationsOf(row, { agreed: !oneWord }) };
    } catch (cause) {
      if (!(cause instanceof PortFailure)) throw cause;
      return { confirmations: 0, doubt: cause.message };
    }
  }

  async function confirmationsOf(row: LockEventRow, how: { readonly agreed: boolean }): Promise<number> {
    const name = `${row.txid} ${row.blockHash} ${how.agreed ? 'agreed' : 'by one word'}`;
    if (!agreed.has(name)) {
      const receipt = await port.receipt(row.txid, how);
      if (receipt === null || !receipt.ok || receipt.blockHash !== row.blockHash || !tells(receipt.events, row))
        return 0;
      agreed.set(name, true);
    }
    return Math.max(0, tip.height - row.height + 1);
  }
}

function tells(
  events: readonly { readonly key: Uint8Array; readonly what: { readonly is: string } }[],
  row: LockEventRow,
): boolean {
  return events.some(({ key, what }) => what.is === row.event && sameBytes(key, row.key));
}

/** What ended a lock: the first that its key was told to be after it was made, with a preimage that fits where one is needed. */
function endOf(made: LockEventRow, hash: Sha256, rows: readonly LockEventRow[]): LockEventRow | null {
  const later = (row: LockEventRow): boolean =>
    row.height > made.height || (row.height === made.height && row.logIndex > made.logIndex);
  const ends = (row: LockEventRow): boolean =>
    (row.event === 'redeemed' && preimageMatches(hash, row.body as Uint8Array) !== null) || row.event === 'refunded';
  return rows.find((row) => sameBytes(row.key, made.key) && later(row) && ends(row)) ?? null;
}
