import { setTimeout as pause } from 'node:timers/promises';
import { aims } from './aims.ts';
import { latencyOf, takeAnswers } from './answers.ts';
import { connections, type Bench } from './bench-node.ts';
import {
  createArkadeEvm,
  createEvmLightning,
  hashClaimed,
  lockFor,
  signedClaim,
  type Depositor,
  type OpenArkadeEvm,
} from './evm-swaps.ts';
import type { ClaimSetting } from './claims.ts';
import { invoices, pooled, reached, timeOf, type Invoice } from './swaps.ts';
import { firstOf, holdPayments, paymentsHeld, quantiles, releasePayments, takeTrace, type Traced } from './trace.ts';

const patienceMs = 120_000;

/**
 * From the request to its answer, which has the transaction's id; and from the block that has it to our claim of the
 * VHTLC. `share` is what is ours since the node has read the log.
 */
export async function gaslessClaims(
  bench: Bench,
  depositor: Depositor,
  { open, size: { claims }, print }: ClaimSetting,
): Promise<void> {
  for (const atOnce of [1, connections]) {
    const swaps: OpenArkadeEvm[] = [];
    for (let i = 0; i < claims; i++) swaps.push(await createArkadeEvm(bench, depositor));
    const begun = performance.now();
    for (const { record } of swaps)
      await bench.wallet.controls.arkadeFaucet({
        address: record.btc_vhtlc_address,
        amount: Number(record.source_amount),
      });
    const funded = await pooled(swaps, claims, ({ record }) => reached(bench, record.id, 'serverfunded', patienceMs));
    print('lock', {
      direction: 'arkade-evm',
      open,
      swaps: claims,
      all: Math.round(performance.now() - begun),
      ...quantiles(funded),
    });
    await takeTrace(bench.traceUrl);
    await takeAnswers(bench.traceUrl);
    const relays = new Map<string, string>();
    const samples: number[] = [];
    const signed = await Promise.all(
      swaps.map(async (swap) => ({ swap, body: await signedClaim(bench, swap, depositor) })),
    );
    await pooled(signed, atOnce, async ({ swap, body }) => {
      samples.push(
        await timeOf(async () => {
          const answer = await bench.http().post(`/swap/${swap.record.id}/claim-gasless`, body);
          relays.set(swap.record.id, String(answer['tx_hash']));
        }),
      );
    });
    print('claim-gasless', { direction: 'arkade-evm', open, atOnce, ...quantiles(samples) });
    const ended = await Promise.all(swaps.map(({ record }) => reached(bench, record.id, 'serverredeemed', patienceMs)));
    const trace = await takeTrace(bench.traceUrl);
    const spans = ended.map((record) => {
      const relay = relays.get(String(record['id'])) ?? '';
      const [mined, read] = [firstOf(trace, 'mined', relay), firstOf(trace, 'log', relay)];
      return { mined, read, sent: firstOf(trace, 'submit', String(record['btc_claim_txid'])) };
    });
    print('B3', {
      direction: 'arkade-evm',
      open,
      atOnce,
      ...latencyOf(
        spans.map(({ read, sent }) => ({ from: read, to: sent })),
        await takeAnswers(bench.traceUrl),
      ),
      ...quantiles(spans.map(({ mined, sent }) => sent - mined)),
      aim: aims.claimFromBlock,
    });
  }
}

/** When each claim of the node came to the chain's RPC first, by its payment hash. */
export function claimsSent(trace: readonly Traced[]): Map<string, number> {
  const sent = new Map<string, number>();
  for (const { what, key, at } of trace) {
    const hash = what === 'send' ? hashClaimed(key) : null;
    if (hash !== null && !sent.has(hash)) sent.set(hash, at);
  }
  return sent;
}

/** Swaps whose locks are buried and whose payments are on their way and do not arrive. */
export async function lockedAndHeld(
  bench: Bench,
  depositor: Depositor,
  count: number,
  most: number,
): Promise<readonly Invoice[]> {
  const given = await invoices(bench, count);
  await holdPayments(bench.traceUrl);
  await pooled(given, most, async (invoice) => {
    const record = await createEvmLightning(bench, invoice, depositor);
    await lockFor(record, depositor);
  });
  for (const deadline = Date.now() + patienceMs; ; await pause(100)) {
    const held = await paymentsHeld(bench.traceUrl);
    if (held >= count) return given;
    if (Date.now() > deadline) throw new Error(`only ${held} of ${count} payments are on their way`);
  }
}

/** From the payment's settlement to the claim's arrival at the chain, one at a time. */
export async function settledPayments(
  bench: Bench,
  depositor: Depositor,
  { open, size: { claims }, print }: ClaimSetting,
): Promise<void> {
  const given = await lockedAndHeld(bench, depositor, claims, 1);
  await takeTrace(bench.traceUrl);
  await takeAnswers(bench.traceUrl);
  for (let i = 0; i < claims; i++) {
    await releasePayments(bench.traceUrl, 'one');
    await pause(150);
  }
  await releasePayments(bench.traceUrl, 'all');
  await pause(1_000);
  const trace = await takeTrace(bench.traceUrl);
  const sent = claimsSent(trace);
  const spans = given.map(({ payment_hash: hash }) => ({
    from: firstOf(trace, 'paid', hash),
    to: sent.get(hash) ?? Number.NaN,
  }));
  const latency = latencyOf(spans, await takeAnswers(bench.traceUrl));
  print('B3', { direction: 'evm-lightning', open, ...latency, aim: aims.claim });
}
