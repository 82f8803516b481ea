import { setTimeout as pause } from 'node:timers/promises';
import { walletFaults } from './bitcoin-verdict.ts';
import type { Oracle } from './oracle.ts';
import type { Stage } from './scenario.ts';

const againMs = 300;

/** What the node says that its Bitcoin wallet holds, promised to nobody. */
export async function statedBitcoin({ node }: Pick<Stage, 'node'>): Promise<bigint> {
  const { body } = await node.ask('/owner/balances', undefined, true);
  const rows = body['balances'] as { network: string; available: string; reserved: string; pending: string }[];
  const row = rows.find(({ network }) => network === 'bitcoin');
  return row === undefined ? -1n : BigInt(row.available) + BigInt(row.pending);
}

/** Every swap has come to its end, and the node's keys hold on the chain what the node says that they do. */
export async function bitcoinQuiet(stage: Stage, { bitcoin }: Oracle, deadline: number): Promise<void> {
  for (;;) {
    const { body } = await stage.node.ask('/owner/swaps?open=true', undefined, true);
    const open = (body['swaps'] as { id: string; status: string }[]).map(({ id, status }) => `${id} is ${status}`);
    const faults =
      open.length > 0
        ? [`swaps never end: ${open.join(', ')}`]
        : walletFaults(await bitcoin.trace(stage.scenarios.map(({ record }) => record)), await statedBitcoin(stage));
    if (faults.length === 0) return;
    if (Date.now() > deadline) throw new Error(faults.join('; '));
    await pause(againMs);
  }
}
