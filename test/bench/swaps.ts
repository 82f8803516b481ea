import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { ArkadeLightningRecord } from '../../engine/contract/directions/arkade-lightning.ts';
import type { LightningArkadeRecord } from '../../engine/contract/directions/lightning-arkade.ts';
import type { Bench } from './bench-node.ts';

const amount = 2_000;

export interface OpenLightning {
  readonly record: LightningArkadeRecord;
  readonly secret: Uint8Array;
  readonly hash: string;
}

export async function createLightning({ http, wallet }: Bench): Promise<OpenLightning> {
  const secret = randomBytes(32);
  const hash = createHash('sha256').update(secret).digest('hex');
  const record = await http().post('/swap/lightning/arkade', {
    arkade_htlc_script_version: 1,
    claim_pk: wallet.publicKey,
    hash_lock: `0x${hash}`,
    target_arkade_address: wallet.address,
    user_id: randomUUID(),
    source_amount_sats: amount,
  });
  return { record: record as unknown as LightningArkadeRecord, secret, hash };
}

export interface Invoice {
  readonly bolt11: string;
  readonly payment_hash: string;
}

/** Invoices of the outside wallet, made before the stopwatch runs. */
export async function invoices({ wallet }: Bench, count: number, sats = amount): Promise<Invoice[]> {
  const made: Invoice[] = [];
  for (let left = count; left > 0; left -= 50) {
    made.push(
      ...(await Promise.all(
        Array.from({ length: Math.min(50, left) }, () =>
          wallet.controls.lightningInvoice({ amount_sats: sats, expiry_seconds: 86_400 }),
        ),
      )),
    );
  }
  return made;
}

export async function createArkade({ http, wallet }: Bench, { bolt11 }: Invoice): Promise<ArkadeLightningRecord> {
  const record = await http().post('/swap/arkade/lightning', {
    arkade_htlc_script_version: 1,
    refund_pk: wallet.publicKey,
    user_id: randomUUID(),
    lightning_invoice: bolt11,
  });
  return record as unknown as ArkadeLightningRecord;
}

export async function timeOf(act: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await act();
  return performance.now() - begun;
}

export function range(count: number): number[] {
  return Array.from({ length: count }, (_, i) => i);
}

/** Runs over all items, so many at once; answers how long each took. */
export async function pooled<T>(
  items: readonly T[],
  atOnce: number,
  act: (item: T) => Promise<unknown>,
): Promise<number[]> {
  const waiting = [...items];
  const samples: number[] = [];
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (let item = waiting.pop(); item !== undefined; item = waiting.pop()) {
        const one = item;
        samples.push(await timeOf(() => act(one)));
      }
    }),
  );
  return samples;
}

/** Looks are requests to the node that is measured: moments are taken from the trace of the networks, not from them. */
export const lookMs = 50;

/** Until a swap is where it should be. */
export async function reached(
  { http }: Bench,
  id: string,
  status: string,
  patienceMs = 30_000,
): Promise<Record<string, unknown>> {
  for (const deadline = Date.now() + patienceMs; ; await pause(lookMs)) {
    const record = await http().get(`/swap/${id}`);
    if (record['status'] === status) return record;
    if (Date.now() > deadline) throw new Error(`swap ${id} is ${String(record['status'])}, not ${status}`);
  }
}

/** From Lightning to Arkade and back, each from its create to its end. */
export async function twoLives(bench: Bench, invoice: Invoice): Promise<void> {
  const { record, secret } = await createLightning(bench);
  await bench.wallet.controls.lightningPay(record.bolt11_invoice);
  await reached(bench, record.id, 'serverfunded');
  await bench.wallet.claim(record, secret);
  await reached(bench, record.id, 'serverredeemed');
  const back = await createArkade(bench, invoice);
  const amount = Number(back.source_amount);
  await bench.wallet.controls.arkadeFaucet({ address: back.arkade_vhtlc_address, amount });
  await reached(bench, back.id, 'serverredeemed');
}
