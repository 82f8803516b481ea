import { setTimeout as pause } from 'node:timers/promises';
import type { Permit2Funding } from '../../engine/contract/records/evm.ts';
import type { CollabRefundEvmParams, RefundCalldata } from '../../engine/contract/records/refunds.ts';
import type { EvmAccount } from '../../engine/index.ts';
import { giveGas, type Chain, type Token } from './chains.ts';
import { ask, askUntilKnown } from './http.ts';
import { patienceMs, type Tour } from './tour.ts';

/** Who sends the transaction that makes the client's lock; the client's account has coins only for its own. */
export type By = 'node' | 'client';

interface Lock {
  readonly chain: Chain;
  readonly token: Token;
  readonly by: By;
}

type Record = Parameters<EvmAccount['fund']>[0] & { readonly id: string };

/** Locks the client's tokens for the swap; answers how many it was given for that. */
export async function lockTokens(tour: Tour, { chain, token, by }: Lock, record: Record): Promise<bigint> {
  const { node, client, say } = tour;
  const path = `/swap/${record.id}/swap-and-lock-calldata-permit2`;
  const data = (await ask(node, 'GET', path)) as unknown as Permit2Funding;
  const given = BigInt(data.source_amount);
  await chain.give(token, given);
  const deadline = Number((await ask(node, 'GET', '/sandbox'))['clock']) + 3_600;
  const signsPermits = data.eip2612?.supported === true;
  if (by === 'client' || !signsPermits) {
    await giveGas(chain);
    await chain.account.approve(data);
    if (by === 'node')
      say(`  ${token.symbol} takes no signed permits: its owner has approved Permit2, once for all swaps`);
  }
  if (by === 'client') say(`  locks by ${await chain.account.fund(record, data, deadline)}`);
  else await ask(node, 'POST', `/swap/${record.id}/fund-gasless`, await client.evm.fund(record, data, deadline));
  return given;
}

/** The service signs that the lock goes back before its time, and sends it. */
export async function refundTogether({ node, client }: Tour, record: Record): Promise<void> {
  const path = `/api/swap/${record.id}/collab-refund-evm`;
  const params = (await ask(node, 'GET', `${path}/params`)) as unknown as CollabRefundEvmParams;
  await askUntilKnown(node, 'POST', path, await client.evm.refund(record, params));
}

/** The client takes its lock back once its time is over; who sends its own transactions has coins for that. */
export async function refundAlone({ node, past, say }: Tour, chain: Chain, record: TimedRecord): Promise<void> {
  const path = `/swap/${record.id}/refund-and-swap-calldata`;
  const call = (await ask(node, 'GET', path)) as unknown as RefundCalldata;
  say('  asks nobody, and lets the time of its lock run');
  await past(record.evm_refund_locktime + 60);
  say(`  takes it back by ${await patiently(() => chain.account.refund(call))}`);
}

interface TimedRecord {
  readonly id: string;
  readonly evm_refund_locktime: number;
}

/** The chain's own clock follows with its next block. */
async function patiently<T>(act: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    try {
      return await act();
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await pause(1_000);
    }
  }
}
