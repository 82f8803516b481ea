import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { ArkadeLightningRecord } from '../../../engine/contract/directions/arkade-lightning.ts';
import type { LightningArkadeRecord } from '../../../engine/contract/directions/lightning-arkade.ts';
import { ask } from '../../stories/client/http.ts';
import { refundIfOwed, refundTogether } from './refund.ts';
import { begin, look, opened, overForClient, until, untilOver, type Stage, type Story, type Tale } from './tale.ts';

async function openLightning(
  stage: Stage,
  story: string,
): Promise<{ tale: Tale; record: LightningArkadeRecord; secret: Uint8Array }> {
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
  return { tale: begin(stage, { direction: 'lightning-arkade', story, hash, record }), record, secret };
}

async function payInvoice({ wallet }: Stage, record: LightningArkadeRecord): Promise<void> {
  await wallet.controls.lightningPay(record.bolt11_invoice);
}

async function payment({ wallet }: Stage, tale: Tale): Promise<'in_flight' | 'settled' | 'failed'> {
  return (await wallet.controls.lightningPayment(tale.hash)).state;
}

export const lightningToArkade: Record<string, Story> = {
  async honest(stage) {
    const { tale, record, secret } = await openLightning(stage, 'honest');
    await payInvoice(stage, record);
    await until(stage, 'the VHTLC', tale, async () => {
      await look(stage, tale);
      return (
        (await stage.wallet.fates(record)).some((coin) => coin.spent === 'unspent') ||
        (await payment(stage, tale)) === 'failed'
      );
    });
    if ((await payment(stage, tale)) === 'failed') return;
    await until(stage, 'the claim', tale, async () => {
      await stage.wallet.claim(record, secret);
      return true;
    });
    await until(stage, 'the settlement', tale, async () => (await payment(stage, tale)) === 'settled');
    await until(stage, 'serverredeemed', tale, async () => (await look(stage, tale)) === 'serverredeemed');
  },
  /** Pays and is never seen again. */
  async 'walks away'(stage) {
    const { tale, record } = await openLightning(stage, 'walks away');
    await payInvoice(stage, record);
    await until(stage, 'the lock', tale, async () => (await look(stage, tale)) !== 'pending');
  },
  async 'never pays'(stage) {
    await openLightning(stage, 'never pays');
  },
};

async function openArkade(
  stage: Stage,
  story: string,
  hold = false,
): Promise<{ tale: Tale; record: ArkadeLightningRecord }> {
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
  return { tale: begin(stage, { direction: 'arkade-lightning', story, hash, record }), record };
}

async function fund({ wallet }: Stage, { record }: Tale, difference = 0): Promise<void> {
  await wallet.controls.arkadeFaucet({
    address: (record as ArkadeLightningRecord).arkade_vhtlc_address,
    amount: Number(record.source_amount) + difference,
  });
}

export const arkadeToLightning: Record<string, Story> = {
  async honest(stage) {
    const { tale } = await openArkade(stage, 'honest');
    await fund(stage, tale);
    if ((await untilOver(stage, tale)) !== 'serverredeemed') await refundIfOwed(stage, tale);
  },
  async 'funds twice'(stage) {
    const { tale } = await openArkade(stage, 'funds twice');
    await fund(stage, tale);
    await pause(stage.chance.between(0, 600));
    await fund(stage, tale);
    await untilOver(stage, tale);
    await refundIfOwed(stage, tale);
  },
  async 'funds short'(stage) {
    const { tale } = await openArkade(stage, 'funds short');
    await fund(stage, tale, -1);
    await untilOver(stage, tale);
    await refundIfOwed(stage, tale);
  },
  /** Wants its money back while it is being paid for: must get one of the two, never both. */
  async 'funds and asks back'(stage) {
    const { tale } = await openArkade(stage, 'funds and asks back');
    const early = stage.chance.next() < 0.5;
    await fund(stage, tale);
    if (!early) await pause(stage.chance.between(0, 300));
    const deadline = Date.now() + 30_000;
    while (Date.now() < deadline) {
      try {
        if (!(await refundTogether(stage, tale))) break;
      } catch {
        await pause(30); // refused for now
      }
      if (overForClient.has(await look(stage, tale))) break;
    }
    await refundIfOwed(stage, tale);
  },
  /** The payee keeps the payment, then takes it or gives it back. */
  async 'payee hesitates'(stage) {
    const { tale } = await openArkade(stage, 'payee hesitates', true);
    await fund(stage, tale);
    await until(stage, 'the payment', tale, async () => {
      if (overForClient.has(await look(stage, tale))) return true;
      return (await payment(stage, tale)) === 'in_flight';
    });
    await pause(stage.chance.between(0, 2_000));
    const outcome = stage.chance.next() < 0.6 ? 'settles' : 'fails';
    if (!overForClient.has(await look(stage, tale)))
      await until(stage, 'the release', tale, async () => {
        await stage.wallet.controls.lightningRelease(tale.hash, outcome);
        return true;
      });
    if ((await untilOver(stage, tale)) !== 'serverredeemed') await refundIfOwed(stage, tale);
  },
  async 'never funds'(stage) {
    await openArkade(stage, 'never funds');
  },
  /** Funds, and comes back only when the coin can be taken alone. */
  async 'funds short and leaves'(stage) {
    const { tale } = await openArkade(stage, 'funds short and leaves');
    await fund(stage, tale, -1);
  },
};
