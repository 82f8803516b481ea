import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { BitcoinLightningRecord } from '../../../engine/contract/directions/bitcoin-lightning.ts';
import { bitcoinToLightning, takeHtlcBack, type FromHtlc } from '../../stories/client/from-bitcoin.ts';
import { takenBack } from './bitcoin-refunds.ts';
import type { Oracle } from './oracle.ts';
import {
  begin,
  look,
  opened,
  overForClient,
  until,
  untilOver,
  type Scenario,
  type Stage,
  type Story,
} from './scenario.ts';

interface Open {
  readonly scenario: Scenario;
  readonly swap: FromHtlc;
}

async function open(stage: Stage, story: string): Promise<Open> {
  const { node, chance, wallet } = stage;
  const amount_sats = Math.floor(chance.between(60_000, 150_000));
  const swap = await opened(async () => {
    const { bolt11 } = await wallet.controls.lightningInvoice({ amount_sats });
    return bitcoinToLightning(node.url, { bolt11, userId: randomUUID() });
  });
  const record = swap.record as unknown as BitcoinLightningRecord;
  const hash = record.hash_lock.slice(2);
  return { swap, scenario: begin(stage, { direction: 'bitcoin-lightning', story, hash, record, fromHtlc: swap }) };
}

function pay({ wallet }: Stage, { record, price }: FromHtlc, amount = price): Promise<unknown> {
  return wallet.controls.bitcoinFaucet({ address: String(record['btc_htlc_address']), amount });
}

export const bitcoinToLightningStories: Record<string, Story> = {
  async honest(stage) {
    const { scenario, swap } = await open(stage, 'honest');
    await pay(stage, swap);
    await untilOver(stage, scenario);
  },
  async 'a block of it is lost'(stage) {
    const { scenario, swap } = await open(stage, 'a block of it is lost');
    await pay(stage, swap);
    await until(stage, 'the coin', scenario, async () => (await look(stage, scenario)) !== 'pending');
    await pause(stage.chance.between(0, 2_500));
    await stage.wallet.controls.reorg(1 + Math.floor(stage.chance.next() * 3));
    await untilOver(stage, scenario);
  },
  async 'pays too little'(stage) {
    const { scenario, swap } = await open(stage, 'pays too little');
    await pay(stage, swap, swap.price - 1);
    await until(stage, 'the refusal', scenario, async () => overForClient.has(await look(stage, scenario)));
  },
  async 'never pays'(stage) {
    await open(stage, 'never pays');
  },
};

/** The client's coins, once the tip is at their height. */
export async function takeHtlc(stage: Stage, { record, fromHtlc: swap }: Scenario, oracle: Oracle): Promise<void> {
  if (swap === undefined) return;
  await takenBack(oracle, record, (coin) => takeHtlcBack(stage.endpoints.bitcoin.esploraUrl, swap, coin));
}
