import type { Bench } from './bench-node.ts';
import { rounded, type Setting } from './setting.ts';
import { createArkade, createLightning, invoices, reached } from './swaps.ts';
import { firstOf, quantiles, takeTrace } from './trace.ts';

/**
 * B3 without a chain: from the moment at which a preimage is public to the arrival of the node's own settlement or
 * claim.
 */
export async function preimages(
  bench: Bench,
  open: number,
  { size, floors, print }: Pick<Setting, 'size' | 'floors' | 'print'>,
): Promise<void> {
  await takeTrace(bench.traceUrl);
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
  const settled = [...secrets].map(([hash, txid]) => firstOf(trace, 'settle', hash) - firstOf(trace, 'public', txid));
  const claimed = [...claims].map(([hash, txid]) => firstOf(trace, 'submit', txid) - firstOf(trace, 'paid', hash));
  const aim = { p99: 20 };
  const floor = { p50: rounded(floors.fdatasync.p50 + floors.loopback.p50), of: 'one sync and one round trip' };
  print('B3', { direction: 'lightning-arkade', open, ...quantiles(settled), aim, floor });
  print('B3', {
    direction: 'arkade-lightning',
    open,
    ...quantiles(claimed),
    aim,
    floor: {
      p50: rounded(floor.p50 + floors.fdatasync.p50 + 2 * floors.schnorrSign.p50 + floors.loopback.p50),
      of: 'two syncs, two signatures and two round trips',
    },
  });
}
