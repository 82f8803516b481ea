import { sha256 } from '@noble/hashes/sha2.js';
import { hex } from '@scure/base';
import { setTimeout as pause } from 'node:timers/promises';
import type { EvmLightningRecord } from '../../engine/contract/directions/evm-lightning.ts';
import { toHex } from '../../engine/domain/hex.ts';
import { sendBitcoin } from '../stories/client/esplora.ts';
import { claimOf, type ToBitcoin } from '../stories/client/to-bitcoin.ts';
import type { Bench } from './bench-node.ts';
import { claimsSent } from './evm-claims.ts';
import { lockFor, openDepositor } from './evm-swaps.ts';
import { createBitcoinArkade, createEvmBitcoin } from './onchain-swaps.ts';
import type { Setting } from './setting.ts';
import { reached } from './swaps.ts';
import { firstOf, quantiles, takeTrace, type Traced } from './trace.ts';

const patienceMs = 60_000;
const aim = { p99: 20 };

/** B3 of the directions with on-chain Bitcoin, one claim after the other. */
export async function onchainClaims(bench: Bench, setting: Setting): Promise<void> {
  await fromBitcoin(bench, setting);
  await toBitcoin(bench, setting);
}

/** From the moment at which the client's claim of our VHTLC is public to the arrival of our claim at the chain. */
async function fromBitcoin(bench: Bench, { size, print }: Setting): Promise<void> {
  const { controls } = bench.wallet;
  const waits: number[] = [];
  for (let i = 0; i < size.claims; i++) {
    const { record, secret } = await createBitcoinArkade(bench);
    await controls.bitcoinFaucet({ address: record.btc_htlc_address, amount: Number(record.source_amount) });
    await controls.mine(3);
    await reached(bench, record.id, 'serverfunded', patienceMs);
    await takeTrace(bench.traceUrl);
    await bench.wallet.claim(record, secret);
    const trace = await tracedUntil(bench, (trace) => trace.some(({ what }) => what === 'sent'));
    const at = (event: Traced['what']) => trace.find(({ what }) => what === event)?.at ?? Number.NaN;
    waits.push(at('sent') - at('public'));
    await controls.mine(1);
  }
  print('B3', { direction: 'bitcoin-arkade', ...quantiles(waits), aim });
}

/** From the node's reading of the client's claim on the chain to the arrival of our claim of the lock at its own. */
async function toBitcoin(bench: Bench, { size, print }: Setting): Promise<void> {
  const { controls } = bench.wallet;
  const depositor = await openDepositor(bench, 4 * size.claims);
  const waits: number[] = [];
  for (let i = 0; i < size.claims; i++) {
    const { record, secret, key } = await createEvmBitcoin(bench, depositor);
    const hash = toHex(sha256(secret));
    await lockFor({ ...record, hash_lock: record['evm_hash_lock'] } as unknown as EvmLightningRecord, depositor);
    const funded = await reached(bench, String(record['id']), 'serverfunded', patienceMs);
    await takeTrace(bench.traceUrl);
    const swap = { record, secret, key } as unknown as ToBitcoin;
    const claim = claimOf(swap, funded, BigInt(String(funded['target_amount'])));
    const txid = await sendBitcoin(bench.endpoints.bitcoin.esploraUrl, hex.encode(claim));
    const trace = await tracedUntil(bench, (trace) => claimsSent(trace).has(hash));
    waits.push((claimsSent(trace).get(hash) ?? Number.NaN) - firstOf(trace, 'read', txid));
    await controls.mine(1);
  }
  print('B3', { direction: 'evm-bitcoin', ...quantiles(waits), aim });
}

async function tracedUntil(bench: Bench, enough: (trace: readonly Traced[]) => boolean): Promise<readonly Traced[]> {
  const trace: Traced[] = [];
  for (const deadline = Date.now() + patienceMs; ; await pause(20)) {
    trace.push(...(await takeTrace(bench.traceUrl)));
    if (enough(trace)) return trace;
    if (Date.now() > deadline) throw new Error('the claim of the node did not come');
  }
}
