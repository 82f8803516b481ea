import { setTimeout as pause } from 'node:timers/promises';
import { walletFaults } from './bitcoin-verdict.ts';
import type { BitcoinOracle } from './bitcoin-oracle.ts';
import type { Oracle } from './oracle.ts';
import { historyOf, nameOf, standOf, type Stage } from './scenario.ts';

const againMs = 300;

interface Open {
  readonly id: string;
  readonly status: string;
}

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
    const open = body['swaps'] as Open[];
    const faults =
      open.length > 0
        ? ['swaps never end']
        : walletFaults(await bitcoin.trace(stage.scenarios.map(({ record }) => record)), await statedBitcoin(stage));
    if (faults.length === 0) return;
    if (Date.now() > deadline)
      throw new Error(
        [faults.join('; '), ...(await Promise.all(open.map((one) => lineOf(stage, bitcoin, one))))].join('\n'),
      );
    await pause(againMs);
  }
}

/** Whose swap it is, what the chain has of it, and how it came there. */
async function lineOf(stage: Stage, bitcoin: BitcoinOracle, { id, status }: Open): Promise<string> {
  const scenario = stage.scenarios.find(({ record }) => record.id === id);
  if (scenario === undefined) return `${id} of nobody is ${status}`;
  const coins = (await bitcoin.legOf(scenario.record)) ?? [];
  const fates = coins.map(
    ({ outpoint, spent, by }) =>
      `${outpoint} ${spent}${by === null ? '' : ` by ${by.txid}, ${by.mined ? 'mined' : 'not mined'}`}`,
  );
  return (
    `${nameOf(scenario)} is ${status}, on Bitcoin: ${fates.join(', ') || 'nothing'}\n` +
    `${await standOf(stage, scenario)}\n${await historyOf(stage, scenario)}`
  );
}
