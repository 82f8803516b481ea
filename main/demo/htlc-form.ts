import type { Config } from '../../engine/config.ts';
import { ask, type Json } from './http.ts';
import type { DemoNode } from './node.ts';

/** How the HTLC of a swap from Bitcoin is written: as the node's owner has it, or in the other of the two forms. */
export type Form = 'set' | 'other';

const other = { p2wsh: 'p2tr', p2tr: 'p2wsh' } as const;
let last: Promise<unknown> = Promise.resolve();

/** Creates one after the other: what the owner has set is everybody's, and is set back at once. */
export function inForm(node: DemoNode, form: Form, create: () => Promise<Json>): Promise<Json> {
  const one = last.then(() => (form === 'set' ? create() : inOther(node, create)));
  last = one.catch(() => undefined);
  return one;
}

async function inOther(node: DemoNode, create: () => Promise<Json>): Promise<Json> {
  const { settings } = await ask(node, 'GET', '/owner/settings');
  const { htlcForm: set } = (settings as unknown as Config).bitcoin;
  const change = (htlcForm: string) => ask(node, 'PATCH', '/owner/settings', { bitcoin: { htlcForm } });
  await change(other[set]);
  try {
    return await create();
  } finally {
    await change(set);
  }
}
