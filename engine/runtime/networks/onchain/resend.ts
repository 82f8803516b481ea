import { buried } from '../../../legs/onchain/depth.ts';
import { readRawTx } from '../../../legs/raw-tx.ts';
import { NotYet } from '../../not-yet.ts';
import { bitcoinOf } from '../../ports.ts';
import type { EffectOf } from '../act.ts';
import type { OnchainContext } from './context.ts';
import { ifKnown } from '../if-known.ts';
import { again } from './broadcast.ts';
import { sendMakers } from './makers.ts';
import { fundingIsOver } from './over.ts';
import { pendingTx } from './cpfp.ts';
import { tipNow } from './transactions.ts';

/** Attempts after which it comes back more and more slowly: about an hour of the usual pauses. */
const quickAttempts = 240;
/** Of each second's pause, so many attempts: the pauses grow on from the usual ones, to ten minutes. */
const attemptsPerSecond = 16;
const longestPause = 600;

/**
 * Seconds; null for the usual pause. A client makes its claim as cheap as it likes, so any number of them may wait for
 * as long as nobody mines them, and nothing of ours hangs on any (facts/faults.md 216).
 */
function resendPause(attempts: number): number | null {
  return attempts < quickAttempts ? null : Math.min(longestPause, Math.floor(attempts / attemptsPerSecond));
}

/**
 * Keeps the client's claim of our coin in the mempool until a spend of the coin is buried, and our funding with what
 * pushes it: what an eviction or a reorganisation takes is sent again (facts/faults.md 14, 32).
 */
export async function resend({ coin, bytes }: EffectOf<'htlc.resend'>, context: OnchainContext): Promise<void> {
  const { ports, store, row } = context;
  const bitcoin = bitcoinOf(ports);
  const pause = resendPause(row.attempts);
  const tip = await tipNow(context);
  const spend = await ifKnown(() => bitcoin.spend(coin));
  if (spend !== null && buried(spend.height, tip?.height ?? null)) return fundingIsOver(coin, context);
  if (spend !== null && row.attempts % again !== again - 1)
    throw new NotYet(pause, spend.height === null ? 'the claim waits to be mined' : 'the claim is not buried yet');
  const [funding] = store.transactions
    .of(row.subject, row.leg)
    .filter(({ txid, state }) => txid === coin.txid && (state === 'prepared' || state === 'accepted'));
  const parent = funding === undefined ? null : store.transactions.bytes(funding.txid);
  // The client gave its secret for what hangs on them.
  if (parent !== null && spend === null) await sendMakers(readRawTx(parent)?.inputs ?? [], context);
  const child = pendingTx(row, 'push', store);
  if (parent !== null && child !== null) await bitcoin.broadcastPackage(parent, child.bytes);
  const sent = parent === null ? await bitcoin.broadcast(bytes) : (await bitcoin.broadcastPackage(parent, bytes)).child;
  throw new NotYet(pause, sent.is === 'accepted' ? 'the claim waits to be mined' : sent.reason);
}
