import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { BitcoinLightningRecord } from '../../../engine/contract/directions/bitcoin-lightning.ts';
import { utxosAt } from '../../stories/client/esplora.ts';
import { bitcoinToLightning, refundTogether, takeHtlcBack, type FromHtlc } from '../../stories/client/from-bitcoin.ts';
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

async function open(stage: Stage, story: string, hold = false): Promise<Open> {
  const { node, chance, wallet } = stage;
  const amount_sats = Math.floor(chance.between(60_000, 150_000));
  const swap = await opened(async () => {
    const { bolt11 } = await wallet.controls.lightningInvoice({ amount_sats, hold });
    return bitcoinToLightning(node.url, { bolt11, userId: randomUUID() });
  });
  const record = swap.record as unknown as BitcoinLightningRecord;
  const hash = record.hash_lock.slice(2);
  return { swap, scenario: begin(stage, { direction: 'bitcoin-lightning', story, hash, record, fromHtlc: swap }) };
}

function pay({ wallet }: Stage, { record, price }: FromHtlc, amount = price): Promise<unknown> {
  return wallet.controls.bitcoinFaucet({ address: String(record['btc_htlc_address']), amount });
}

/** Each coin by the key of both, or by its script once the tip is at its height. */
async function refundByBoth(stage: Stage, { scenario, swap }: Open): Promise<void> {
  const { node, endpoints } = stage;
  const esplora = endpoints.bitcoin.esploraUrl;
  await until(stage, 'the refund', scenario, async () => {
    const coins = await utxosAt(esplora, String(swap.record['btc_htlc_address']));
    for (const { txid, vout, value } of coins)
      await refundTogether(node.url, esplora, { swap, coin: { txid, vout, amount: BigInt(value) } });
    return coins.length === 0;
  });
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
  /** Its payee holds the payment, and refuses or takes it: the refund by the key of both is for a failed one alone. */
  async 'payee hesitates'(stage) {
    const { scenario, swap } = await open(stage, 'payee hesitates', true);
    const { controls } = stage.wallet;
    await pay(stage, swap);
    await until(stage, 'the payment', scenario, async () => {
      if (overForClient.has(await look(stage, scenario))) return true;
      return (await controls.lightningPayment(scenario.hash)).state === 'in_flight';
    });
    await pause(stage.chance.between(0, 2_000));
    const outcome = stage.chance.next() < 0.4 ? 'settles' : 'fails';
    if (!overForClient.has(await look(stage, scenario)))
      await until(stage, 'the release', scenario, async () => {
        await controls.lightningRelease(scenario.hash, outcome);
        return true;
      });
    if ((await untilOver(stage, scenario)) !== 'serverredeemed') await refundByBoth(stage, { scenario, swap });
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
