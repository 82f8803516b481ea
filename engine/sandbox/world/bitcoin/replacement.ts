import type { Sats } from '../../../domain/money.ts';
import type { Txid } from '../../../domain/outpoint.ts';
import { type Mempool, type MempoolEntry } from './mempool.ts';
import { feeFloor } from './policy.ts';
import { inBitcoin, reject } from './rejection.ts';
import type { Tx } from './tx.ts';

const mostEvicted = 100;
/**
 * What a new transaction must pay to take the place of those it conflicts with, as Bitcoin Core has it since version
 * 28: by the rules of BIP-125, whether they signal replacement or not. Returns all that would leave the pool.
 */
export function checkReplacement(mempool: Mempool, tx: Tx, fee: Sats, conflicts: ReadonlySet<Txid>): MempoolEntry[] {
  if (conflicts.size === 0) return [];
  const direct = [...conflicts].flatMap((txid) => mempool.get(txid) ?? []);
  const evicted = [
    ...new Map(
      [...conflicts].flatMap((txid) => mempool.descendants(txid)).map((entry) => [entry.tx.txid, entry]),
    ).values(),
  ];
  const own = evicted.find((entry) => mempool.ancestors(tx).includes(entry));
  if (own !== undefined)
    reject('bad-txns-spends-conflicting-tx', `${tx.txid} spends conflicting transaction ${own.tx.txid}`);
  const refused = `rejecting replacement ${tx.txid}`;
  for (const old of direct) {
    if (Number(fee) / tx.vsize <= Number(old.fee) / old.tx.vsize)
      reject(
        'insufficient fee',
        `${refused}; new feerate ${rate(fee, tx)} BTC/kvB <= old feerate ${rate(old.fee, old.tx)} BTC/kvB`,
      );
  }
  if (evicted.length > mostEvicted)
    reject(
      'too many potential replacements',
      `${refused}; too many potential replacements (${evicted.length} > ${mostEvicted})`,
    );
  const parents = new Set(direct.flatMap((entry) => entry.tx.inputs.map(({ spends }) => spends.txid)));
  for (const [i, { spends }] of tx.inputs.entries()) {
    if (mempool.get(spends.txid) !== undefined && !parents.has(spends.txid))
      reject('replacement-adds-unconfirmed', `replacement ${tx.txid} adds unconfirmed input, idx ${i}`);
  }
  const paid = evicted.reduce((sum, entry) => sum + entry.fee, 0n);
  if (fee < paid)
    reject('insufficient fee', `${refused}, less fees than conflicting txs; ${inBitcoin(fee)} < ${inBitcoin(paid)}`);
  if (fee - paid < feeFloor(tx.vsize))
    reject(
      'insufficient fee',
      `${refused}, not enough additional fees to relay; ${inBitcoin(fee - paid)} < ${inBitcoin(feeFloor(tx.vsize))}`,
    );
  return evicted;
}

function rate(fee: Sats, { vsize }: Tx): string {
  return inBitcoin((fee * 1_000n) / BigInt(vsize));
}
