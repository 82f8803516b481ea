import type { TestNode } from '../support/node.ts';
import type { World } from '../support/world.ts';

/** What the ledger says that a withdrawal cost, in sats. */
export function bookedFor(node: TestNode, id: string): bigint {
  return -node.store.ledger.of(id).reduce((sum, { amount }) => sum + amount, 0n) / 1_000n;
}

/** What its miners got for it. */
export function costOf(world: World, node: TestNode, id: string): bigint {
  const { txid = '' } = (node.store.swaps.byId(id)?.progress ?? {}) as { txid?: string };
  const of = (name: string) => {
    const found = world.bitcoin.transaction(name);
    if (found === undefined) throw new Error(`there is no transaction ${name}`);
    return found.tx;
  };
  const { inputs, outputs } = of(txid);
  const taken = inputs.reduce((sum, { spends }) => sum + (of(spends.txid).outputs[spends.vout]?.amount ?? 0n), 0n);
  return outputs.reduce((left, { amount }) => left - amount, taken);
}
