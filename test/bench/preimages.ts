import { aims } from './aims.ts';
import { latencyOf, takeAnswers } from './answers.ts';
import type { Bench } from './bench-node.ts';
import type { ClaimSetting } from './claims.ts';
import { rounded } from './setting.ts';
import { createArkade, createLightning, invoices, reached } from './swaps.ts';
import { firstOf, takeTrace } from './trace.ts';

/**
 * B3 without a chain: from the moment at which a preimage is public to the arrival of the node's own settlement or
 * claim.
 */
export async function preimages(
  bench: Bench,
  { open, size, floors, print }: Pick<ClaimSetting, 'open' | 'size' | 'floors' | 'print'>,
): Promise<void> {
  await takeTrace(bench.traceUrl);
  await takeAnswers(bench.traceUrl);
  const secrets = new Map<string, string>();
  for (let i = 0; i < size.claims; i++) {
    const { record, secret, hash } = await createLightning(bench);
    await bench.wallet.controls.lightningPay(record.bolt11_invoice);
    await reached(bench, record.id, 'serverfunded');
    await bench.wallet.claim(record, secret);
    secrets.set(hash, String((await reached(bench, record.id, 'serverredeemed'))['arkade_claim_txid']));
  }
  const claims = new Map<string, string>();
  for (const invoice of await invoices(bench, size.claims)) {
    const record = await createArkade(bench, invoice);
    await bench.wallet.controls.arkadeFaucet({
      address: record.arkade_vhtlc_address,
      amount: Number(record.source_amount),
    });
    claims.set(invoice.payment_hash, String((await reached(bench, record.id, 'serverredeemed'))['arkade_claim_txid']));
  }
  const trace = await takeTrace(bench.traceUrl);
  const answers = await takeAnswers(bench.traceUrl);
  const settled = [...secrets].map(([hash, txid]) => ({
    from: firstOf(trace, 'public', txid),
    to: firstOf(trace, 'settle', hash),
  }));
  const claimed = [...claims].map(([hash, txid]) => ({
    from: firstOf(trace, 'paid', hash),
    to: firstOf(trace, 'submit', txid),
  }));
  const floor = { p50: rounded(floors.fsync.p50 + floors.loopback.p50), of: 'one sync and one round trip' };
  print('B3', { direction: 'lightning-arkade', open, ...latencyOf(settled, answers), aim: aims.claim, floor });
  print('B3', {
    direction: 'arkade-lightning',
    open,
    ...latencyOf(claimed, answers),
    aim: aims.claim,
    floor: {
      p50: rounded(floor.p50 + floors.fsync.p50 + 2 * floors.schnorrSign.p50 + floors.loopback.p50),
      of: 'two syncs, two signatures and two round trips',
    },
  });
}
