import type { Txid } from '../../../domain/outpoint.ts';
import type { Mempool } from './mempool.ts';
import { isDust, trucVersion } from './policy.ts';
import { reject } from './rejection.ts';
import type { Tx } from './tx.ts';

const largest = { transaction: 10_000, child: 1_000 };
const mostFamily = 25;

/**
 * What unconfirmed families may look like: version 3 in pairs of one parent and one child (BIP-431), others in chains
 * of at most 25. Returns a sibling that a version 3 child pushes out, as though the two conflicted.
 */
export function checkFamily(mempool: Mempool, tx: Tx, conflicts: ReadonlySet<Txid>): Txid | null {
  const ancestors = mempool.ancestors(tx);
  for (const { tx: parent } of ancestors)
    if (tx.inputs.some(({ spends }) => spends.txid === parent.txid)) checkDustIsSpent(parent, tx);
  if (tx.version !== trucVersion) {
    const strange = ancestors.find((entry) => entry.tx.version === trucVersion);
    if (strange !== undefined)
      reject('TRUC-violation', `non-version=3 tx ${tx.txid} cannot spend from version=3 tx ${strange.tx.txid}`);
    if (ancestors.length >= mostFamily)
      reject('too-long-mempool-chain', `too many unconfirmed ancestors [limit: ${mostFamily}]`);
    for (const ancestor of ancestors) {
      if (mempool.descendants(ancestor.tx.txid).length >= mostFamily)
        reject('too-long-mempool-chain', `too many descendants for tx ${ancestor.tx.txid} [limit: ${mostFamily}]`);
    }
    return null;
  }
  if (tx.vsize > largest.transaction)
    reject('TRUC-violation', `version=3 tx ${tx.txid} is too big: ${tx.vsize} > ${largest.transaction} virtual bytes`);
  const [parent] = ancestors;
  if (parent === undefined) return null;
  if (parent.tx.version !== trucVersion)
    reject('TRUC-violation', `version=3 tx ${tx.txid} cannot spend from non-version=3 tx ${parent.tx.txid}`);
  if (ancestors.length > 1) reject('TRUC-violation', `tx ${tx.txid} would have too many ancestors`);
  if (tx.vsize > largest.child)
    reject('TRUC-violation', `version=3 child tx ${tx.txid} is too big: ${tx.vsize} > ${largest.child} virtual bytes`);
  const sibling = mempool
    .descendants(parent.tx.txid)
    .find((entry) => entry !== parent && !conflicts.has(entry.tx.txid));
  return sibling?.tx.txid ?? null;
}

function checkDustIsSpent(parent: Tx, child: Tx): void {
  const spent = new Set(
    child.inputs.filter(({ spends }) => spends.txid === parent.txid).map(({ spends }) => spends.vout),
  );
  if (parent.outputs.some((output, vout) => isDust(output) && !spent.has(vout)))
    reject('missing-ephemeral-spends', `tx ${child.txid} did not spend parent's ephemeral dust`);
}
