import { isRefusal, PortFailure, refuse, type Refusal } from '../../domain/errors.ts';
import type { Outpoint, Txid } from '../../domain/outpoint.ts';
import type { Prevout } from '../../legs/psbt.ts';
import { outputAt, readRawTx } from '../../legs/raw-tx.ts';
import { bitcoinOf } from '../../runtime/ports.ts';
import type { Runtime } from '../../runtime/runtime.ts';

type Parents = (txid: Txid) => ReturnType<typeof shownBy>;

/** Transactions that made what another takes, as the chain shows them; each is asked for once. */
export function createParents(runtime: Runtime): Parents {
  const parents = new Map<Txid, ReturnType<typeof shownBy>>();
  return (txid) => {
    const parent = parents.get(txid) ?? shownBy(runtime, txid);
    parents.set(txid, parent);
    return parent;
  };
}

/** The coins that inputs take, in their order; a refusal where the chain does not show one. */
export async function prevoutsOf(shown: Parents, inputs: readonly Outpoint[]): Promise<Prevout[] | Refusal> {
  const prevouts: Prevout[] = [];
  for (const { txid, vout } of inputs) {
    const parent = await shown(txid);
    if (isRefusal(parent)) return parent;
    const output = outputAt(parent, vout);
    if (output === null) return refuse('invalid', `The transaction was not signed: ${txid} has no output ${vout}.`);
    prevouts.push(output);
  }
  return prevouts;
}

async function shownBy({ ports }: Runtime, txid: Txid) {
  try {
    const shown = await bitcoinOf(ports).glance(txid);
    return shown === null ? null : readRawTx(shown.bytes);
  } catch (cause) {
    if (!(cause instanceof PortFailure)) throw cause;
    return refuse(
      'unavailable',
      'The Bitcoin node does not answer now: try again later, or spend the coin by its script.',
    );
  }
}
