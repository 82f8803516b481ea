import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { ArkadeLightningRecord } from '../../../engine/contract/directions/arkade-lightning.ts';
import type { LightningArkadeRecord } from '../../../engine/contract/directions/lightning-arkade.ts';
import { ask } from '../../stories/client/http.ts';
import { refundIfOwed, refundTogether } from './refund.ts';
import {
  begin,
  look,
  opened,
  overForClient,
  until,
  untilOver,
  type Stage,
  type Story,
  type Scenario,
} from './scenario.ts';

async function openLightning(
  stage: Stage,
  story: string,
): Promise<{ scenario: Scenario; record: LightningArkadeRecord; secret: Uint8Array }> {
  const { node, wallet, chance } = stage;
  const { record, hash, secret } = await opened(async () => {
    const secret = randomBytes(32);
    const hash = createHash('sha256').update(secret).digest('hex');
    const record = await ask(node.url, 'POST', '/swap/lightning/arkade', {
      arkade_htlc_script_version: 1,
      claim_pk: wallet.publicKey,
      hash_lock: `0x${hash}`,
      target_arkade_address: wallet.address,
      user_id: randomUUID(),
      source_amount_sats: Math.floor(chance.between(2_000, 60_000)),
    });
    return { record: record as unknown as LightningArkadeRecord, hash, secret };
  });
  wallet.terms(record);
  return { scenario: begin(stage, { direction: 'lightning-arkade', story, hash, record }), record, secret };
}

async function payInvoice({ wallet }: Stage, record: LightningArkadeRecord): Promise<void> {
  await wallet.controls.lightningPay(record.bolt11_invoice);
}

async function payment({ wallet }: Stage, scenario: Scenario): Promise<'in_flight' | 'settled' | 'failed'> {
  return (await wallet.controls.lightningPayment(scenario.hash)).state;
}

export const lightningToArkade: Record<string, Story> = {
  async honest(stage) {
    const { scenario, record, secret } = await openLightning(stage, 'honest');
    await payInvoice(stage, record);
    await until(stage, 'the VHTLC', scenario, async () => {
      await look(stage, scenario);
      return (
        (await stage.wallet.fates(record)).some((coin) => coin.spent === 'unspent') ||
        (await payment(stage, scenario)) === 'failed'
      );
    });
    if ((await payment(stage, scenario)) === 'failed') return;
    await until(stage, 'the claim', scenario, async () => {
      await stage.wallet.claim(record, secret);
      return true;
    });
    await until(stage, 'the settlement', scenario, async () => (await payment(stage, scenario)) === 'settled');
    await until(stage, 'serverredeemed', scenario, async () => (await look(stage, scenario)) === 'serverredeemed');
  },
  /** Pays and is never seen again. */
  async 'walks away'(stage) {
    const { scenario, record } = await openLightning(stage, 'walks away');
    await payInvoice(stage, record);
    await until(stage, 'the lock', scenario, async () => (await look(stage, scenario)) !== 'pending');
  },
  async 'never pays'(stage) {
    await openLightning(stage, 'never pays');
  },
};

async function openArkade(
  stage: Stage,
  story: string,
  hold = false,
): Promise<{ scenario: Scenario; record: ArkadeLightningRecord }> {
  const { node, wallet, chance } = stage;
  const { record, hash } = await opened(async () => {
    const { bolt11, payment_hash: hash } = await wallet.controls.lightningInvoice({
      amount_sats: Math.floor(chance.between(2_000, 60_000)),
      hold,
      expiry_seconds: 86_400,
    });
    const record = await ask(node.url, 'POST', '/swap/arkade/lightning', {
      arkade_htlc_script_version: 1,
      refund_pk: wallet.publicKey,
      user_id: randomUUID(),
      lightning_invoice: bolt11,
    });
    return { record: record as unknown as ArkadeLightningRecord, hash };
  });
  wallet.terms(record);
  return { scenario: begin(stage, { direction: 'arkade-lightning', story, hash, record }), record };
}

async function fund({ wallet }: Stage, { record }: Scenario, difference = 0): Promise<void> {
  await wallet.controls.arkadeFaucet({
    address: (record as ArkadeLightningRecord).arkade_vhtlc_address,
    amount: Number(record.source_amount) + difference,
  });
}

export const arkadeToLightning: Record<string, Story> = {
  async honest(stage) {
    const { scenario } = await openArkade(stage, 'honest');
    await fund(stage, scenario);
    if ((await untilOver(stage, scenario)) !== 'serverredeemed') await refundIfOwed(stage, scenario);
  },
  async 'funds twice'(stage) {
    const { scenario } = await openArkade(stage, 'funds twice');
    await fund(stage, scenario);
    await pause(stage.chance.between(0, 600));
    await fund(stage, scenario);
    await untilOver(stage, scenario);
    await refundIfOwed(stage, scenario);
  },
  async 'funds short'(stage) {
    const { scenario } = await openArkade(stage, 'funds short');
    await fund(stage, scenario, -1);
    await untilOver(stage, scenario);
    await refundIfOwed(stage, scenario);
  },
  /** Wants its money back while it is being paid for: must get one of the two, never both. */
  async 'funds and asks back'(stage) {
    const { scenario } = await openArkade(stage, 'funds and asks back');
    const early = stage.chance.next() < 0.5;
    await fund(stage, scenario);
    if (!early) await pause(stage.chance.between(0, 300));
    const deadline = Date.now() + 30_000;
    while (Date.now() < deadline) {
      try {
        if (!(await refundTogether(stage, scenario))) break;
      } catch {
        await pause(30); // refused for now
      }
      if (overForClient.has(await look(stage, scenario))) break;
    }
    await refundIfOwed(stage, scenario);
  },
  /** The payee keeps the payment, then takes it or gives it back. */
  async 'payee hesitates'(stage) {
    const { scenario } = await openArkade(stage, 'payee hesitates', true);
    await fund(stage, scenario);
    await until(stage, 'the payment', scenario, async () => {
      if (overForClient.has(await look(stage, scenario))) return true;
      return (await payment(stage, scenario)) === 'in_flight';
    });
    await pause(stage.chance.between(0, 2_000));
    const outcome = stage.chance.next() < 0.6 ? 'settles' : 'fails';
    if (!overForClient.has(await look(stage, scenario)))
      await until(stage, 'the release', scenario, async () => {
        await stage.wallet.controls.lightningRelease(scenario.hash, outcome);
        return true;
      });
    if ((await untilOver(stage, scenario)) !== 'serverredeemed') await refundIfOwed(stage, scenario);
  },
  async 'never funds'(stage) {
    await openArkade(stage, 'never funds');
  },
  /** Funds, and comes back only when the coin can be taken alone. */
  async 'funds short and leaves'(stage) {
    const { scenario } = await openArkade(stage, 'funds short and leaves');
    await fund(stage, scenario, -1);
  },
};
