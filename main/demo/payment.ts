import { inSats, type Amount } from './amount.ts';
import { ask, textOf, type Json } from './http.ts';
import type { DemoNode } from './node.ts';

/** What the payee of a swap's invoice has, by the payee's own word. */
export async function paid(node: DemoNode, record: Json): Promise<Amount> {
  const { state } = await ask(node, 'GET', `/sandbox/lightning/payments/${textOf(record, 'hash_lock').slice(2)}`);
  if (state !== 'settled') throw new Error(`The payment is ${String(state)}, not settled.`);
  return inSats(BigInt(textOf(record, 'target_amount')));
}
