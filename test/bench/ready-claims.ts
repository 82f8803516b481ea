import { setTimeout as pause } from 'node:timers/promises';
import { connections, type Bench } from './bench-node.ts';
import { createBitcoinArkade, type OpenBitcoinArkade } from './onchain-swaps.ts';
import { createArkade, createLightning, invoices, pooled, range, reached, type OpenLightning } from './swaps.ts';
import { firstOf, paymentsHeld, holdPayments, releasePayments, type Traced } from './trace.ts';

const patienceMs = 400_000;
/** So many clients send their claims at the same time. */
const clients = 64;
/** A claim that the node has sent is in its record soon after. */
const recordMs = 30_000;

/** Swaps whose preimages are all about to be seen. */
export interface Ready {
  /** Lets them go, and tells when it began; milliseconds since the epoch. */
  readonly release: () => Promise<number>;
  /** When each claim came to its network, by swap or by hash. */
  readonly claims: (trace: readonly Traced[]) => ReadonlyMap<string, number> | Promise<ReadonlyMap<string, number>>;
  /** Whether as many were sent as there are. */
  readonly enough: (trace: readonly Traced[]) => boolean;
}

/** Clients paid to addresses on the chain, and signed their claims of our VHTLCs. */
export async function fromBitcoin(bench: Bench, count: number): Promise<Ready> {
  const { controls } = bench.wallet;
  const swaps: OpenBitcoinArkade[] = [];
  await pooled(range(count), connections, async () => void swaps.push(await createBitcoinArkade(bench)));
  for (const { record } of swaps)
    await controls.bitcoinFaucet({ address: record.btc_htlc_address, amount: Number(record.source_amount) });
  await controls.mine(3);
  return {
    release: await claimsReady(bench, swaps),
    claims: async (trace) => {
      // A record names our claim once a block has it.
      await controls.mine(1);
      return byRecord(bench, swaps, 'btc_claim_txid', (txid) => firstOf(trace, 'sent', txid));
    },
    enough: (trace) => keysOf(trace, 'sent').size >= count,
  };
}

/** Clients paid hold invoices, and signed their claims of our VHTLCs. */
export async function fromLightning(bench: Bench, count: number): Promise<Ready> {
  const swaps: OpenLightning[] = [];
  await pooled(range(count), connections, async () => void swaps.push(await createLightning(bench)));
  for (const { record } of swaps) await bench.wallet.controls.lightningPay(record.bolt11_invoice);
  return {
    release: await claimsReady(bench, swaps),
    claims: (trace) => new Map(swaps.map(({ hash }) => [hash, firstOf(trace, 'settle', hash)])),
    enough: (trace) => keysOf(trace, 'settle').size >= count,
  };
}

/** Our payments are on their way, and do not arrive yet. */
export async function fromArkade(bench: Bench, count: number): Promise<Ready> {
  const given = await invoices(bench, count);
  const swaps: { readonly record: { readonly id: string } }[] = [];
  await holdPayments(bench.traceUrl);
  await pooled(given, connections, async (invoice) => {
    const record = await createArkade(bench, invoice);
    swaps.push({ record });
    await bench.wallet.controls.arkadeFaucet({
      address: record.arkade_vhtlc_address,
      amount: Number(record.source_amount),
    });
  });
  await heldAll(bench, count);
  return {
    release: () => releasePayments(bench.traceUrl, 'all'),
    claims: (trace) => byRecord(bench, swaps, 'arkade_claim_txid', (txid) => firstOf(trace, 'submit', txid)),
    enough: (trace) => keysOf(trace, 'submit').size >= count,
  };
}

async function claimsReady(
  bench: Bench,
  swaps: readonly Pick<OpenBitcoinArkade | OpenLightning, 'record' | 'secret'>[],
): Promise<Ready['release']> {
  const ready: (() => Promise<void>)[] = [];
  for (const { record, secret } of swaps) {
    await reached(bench, record.id, 'serverfunded', patienceMs);
    ready.push(await bench.wallet.claimReady(record, secret));
  }
  return async () => {
    const at = performance.timeOrigin + performance.now();
    await pooled(ready, clients, (claim) => claim());
    return at;
  };
}

async function heldAll(bench: Bench, count: number): Promise<void> {
  for (const deadline = Date.now() + patienceMs; ; await pause(100)) {
    const held = await paymentsHeld(bench.traceUrl);
    if (held >= count) return;
    if (Date.now() > deadline) throw new Error(`only ${held} of ${count} payments are on their way`);
  }
}

/** By the transaction that the swap's record names; throws when one never came to its network. */
async function byRecord(
  bench: Bench,
  swaps: readonly { readonly record: { readonly id: string } }[],
  field: string,
  when: (txid: string) => number,
): Promise<ReadonlyMap<string, number>> {
  const moments = new Map<string, number>();
  const deadline = Date.now() + recordMs;
  for (const { record } of swaps) {
    let at = Number.NaN;
    for (; Number.isNaN(at); at = when(String((await bench.http().get(`/swap/${record.id}`))[field])))
      if (Date.now() > deadline) throw new Error(`swap ${record.id} has no claim that was sent`);
    moments.set(record.id, at);
  }
  return moments;
}

function keysOf(trace: readonly Traced[], what: Traced['what']): Set<string> {
  return new Set(trace.filter((one) => one.what === what).map(({ key }) => key));
}
