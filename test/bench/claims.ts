import type { Bench } from './bench-node.ts';
import { gaslessClaims, settledPayments } from './evm-claims.ts';
import { openDepositor } from './evm-swaps.ts';
import { preimages } from './preimages.ts';
import { withNode, type Setting } from './setting.ts';
import { shownByPayments, shownOnArkade, shownOnEvm } from './shown-elsewhere.ts';
import { shownOnBitcoin } from './shown-on-bitcoin.ts';
import { shown } from './shown.ts';
import { holdPayments } from './trace.ts';
import { openEvery } from './ways.ts';

/** With so many other swaps open. */
export interface ClaimSetting extends Setting {
  readonly open: number;
}

const coins = 50;

/** As many of a usual amount as a direction's claims lock at most. */
const swapsOfTokens = 10;

/**
 * B3, all directions, and the latency of a gasless claim: through the node's own adapters, EVM chains by an anvil
 * behind the sandbox's RPC; with nothing else open, and with many of every direction.
 */
export async function claims(setting: Setting): Promise<void> {
  for (const open of [0, setting.size.open])
    await withNode(setting, async (bench) => {
      await manyCoins(bench);
      await openEvery(bench, open);
      const given: ClaimSetting = { ...setting, open };
      await preimages(bench, given);
      const depositor = await openDepositor(bench, swapsOfTokens * setting.size.claims);
      await gaslessClaims(bench, depositor, given);
      await settledPayments(bench, depositor, given);
      for (const way of [
        ...shownOnBitcoin(bench, depositor),
        ...shownOnArkade(bench, depositor),
        ...shownOnEvm(bench, depositor),
      ])
        await shown(bench, way, given);
      await holdPayments(bench.traceUrl);
      await shown(bench, shownByPayments(bench), given);
    });
}

/** On-chain coins of the node: those that are promised, or come back with a block, are not to be waited for. */
async function manyCoins({ http, wallet: { controls } }: Bench): Promise<void> {
  const { address } = await http().post('/owner/wallets/bitcoin/address', {});
  for (let i = 0; i < coins; i++) await controls.bitcoinFaucet({ address: String(address), amount: 1_000_000 });
  await controls.mine(1);
}
