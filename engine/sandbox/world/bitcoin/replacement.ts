import type { Sats } from '../../../domain/money.ts';
import type { Txid } from '../../../domain/outpoint.ts';
import { type Mempool, type MempoolEntry } from './mempool.ts';
import { feeFloor, trucVersion } from './policy.ts';
import { inBitcoin, reject } from './rejection.ts';
import type { Tx } from './tx.ts';

const mostEvicted = 100;
/** BIP-125: any sequence up to this one says that the transaction may be replaced. */
const replaceable = 0xfffffffd;

/** Whether a transaction of the pool may be replaced: it says so, or something unconfirmed that it builds on does. */
export function signals(mempool: Mempool, tx: Tx): boolean {
  return [tx, ...mempool.ancestors(tx).map((entry) => entry.tx)].some(
    (candidate) => candidate.version === trucVersion || candidate.inputs.some((input) => input.sequence <= replaceable),
  );
}

/** BIP-125 over the transactions that a new one conflicts with; returns all that would leave the pool. */
export function checkReplacement(mempool: Mempool, tx: Tx, fee: Sats, conflicts: ReadonlySet<Txid>): MempoolEntry[] {
  if (conflicts.size === 0) return [];
  const direct = [...conflicts].flatMap((txid) => mempool.get(txid) ?? []);
  if (direct.some((entry) => !signals(mempool, entry.tx))) reject('txn-mempool-conflict');
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
