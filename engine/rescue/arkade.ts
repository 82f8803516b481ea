import { asPreimage, type Preimage } from '../domain/hash.ts';
import { unix } from '../domain/time.ts';
import type { SeenCoin } from '../legs/arkade/events.ts';
import type { ArkadePort } from '../legs/arkade/port.ts';
import { isHalfRefunded } from '../legs/arkade/spend.ts';
import { buried } from '../legs/onchain/depth.ts';
import { preimageMatches } from '../legs/secret.ts';
import { arkadeOf, bitcoinOf } from '../runtime/ports.ts';
import { delayOf, takeOnChain } from './arkade-chain.ts';
import type { Done, ExitLook, LegHand, LegLook } from './leg.ts';
import type { ExitPathCoin } from './exit-paths.ts';
import {
  type Leg,
  type ArkadeHand,
  type Sight,
  type Hand,
  prepare,
  sight,
  queued,
  isOnlyCalledSpent,
  showsClaim,
} from './arkade-sight.ts';

/*
 * The machines of the swaps take coins in the same three ways, with states between the steps; what is here takes them
 * for who has no machine that goes on (`leg.ts`). Coins leave an operator by the jobs of the node alone (`exits.ts`).
 */

/** VHTLCs at the operator, and their coins that somebody brought to the chain. */
export function arkadeHand(options: ArkadeHand): LegHand<Leg> {
  const { ports, network, exitPaths, troubles, signal } = options;
  const arkade = (): ArkadePort => arkadeOf(ports);
  const own: Hand = { ports, exitPaths, troubles, signal, arkade };

  return {
    name: ({ amount }) => `${amount} sats in a VHTLC on Arkade`,

    async look(leg, side): Promise<LegLook> {
      const at = leg.terms.refundLocktime;
      const { mtp } = await bitcoinOf(ports).tip();
      const timelock = { at, over: mtp >= at, clock: 'the median time past of the Bitcoin chain' };
      const seen = await sight(own, leg, side);
      const { coin, saved, by } = seen;
      if (coin === null && saved !== null)
        return { state: { is: 'unclear', reason: 'the operator does not list it any more' }, timelock };
      if (coin === null) return { state: await beforeCoin(own, leg), timelock };
      const note = await noteOf(own, leg, coin, side);
      return {
        state: await stateOf(own, leg, coin, { side, by }),
        timelock,
        ...(seen.beside === null ? {} : { beside: true }),
        ...(note === null ? {} : { note }),
        ...(saved === null || coin.unrolled ? {} : { exit: exitOf(leg, saved, side, seen) }),
      };
    },

    async take(leg, secret) {
      const { by, ...seen } = await sight(own, leg, secret === null ? 'refund' : 'claim');
      const coin = seen.beside ?? seen.coin;
      if (coin === null || (coin.spent && !isOnlyCalledSpent(coin)))
        return { is: 'later', sentence: 'it has moved meanwhile' };
      if (coin.unrolled) return takeOnChain(leg, coin, secret, { ports, network });
      if (by === 'chain') return { is: 'later', sentence: 'it waits to be brought to the chain' };
      return coin.recoverable ? throughBatch(own, leg, coin, secret) : throughOperator(own, leg, coin, secret);
    },

    async bringOn(leg, secret) {
      const { coin } = await sight(own, leg, secret === null ? 'refund' : 'claim');
      if (leg.lock !== undefined && coin === null) return finishLock(own, leg.lock);
      if (coin === null || coin.unrolled) return { is: 'later', sentence: 'it waits to be buried on the chain' };
      return throughOperator(own, leg, coin, secret);
    },
  };
}

async function stateOf(
  own: Hand,
  leg: Leg,
  coin: SeenCoin,
  { side, by }: { readonly side: 'claim' | 'refund'; readonly by: Sight['by'] },
): Promise<LegLook['state']> {
  const { ports } = own;
  const { spend, onChain } = coin;
  const isOursThere = isOnlyCalledSpent(coin) && (side === 'claim' || !showsClaim(coin));
  if ((!coin.spent && spend === null) || isOursThere) {
    const queues = side === 'refund' && by === 'operator' && !coin.unrolled;
    const secret = queues ? await queued(own, leg, coin) : null;
    return secret === null ? { is: 'standing' } : { is: 'claimed', secret, final: false };
  }
  if (spend === 'hidden')
    return { is: 'unclear', reason: 'a batch took the expired coin, and whose that was is not shown' };
  if (spend === 'unknown' || spend === null)
    return { is: 'unclear', reason: 'the operator calls it spent and does not show by what' };
  if (side === 'refund' && isHalfRefunded(coin))
    return { is: 'unclear', reason: 'the operator holds a refund of it that is not final, and may never be' };
  const height = onChain === undefined ? null : (await bitcoinOf(ports).tip()).height;
  const settled = !isOnlyCalledSpent(coin) && (onChain === undefined || buried(onChain.height, height));
  if (spend.leaf === 'claim') {
    const secret = preimageMatches(leg.terms.hash, spend.preimage) ?? asPreimage(spend.preimage);
    return { is: 'claimed', secret, final: settled && (side === 'refund' || (await isFinal(own, leg, coin, secret))) };
  }
  if (spend.leaf === 'off-length')
    return {
      is: 'unclear',
      reason: 'it was claimed with a secret of another length than 32 bytes, which opens no other',
    };
  return {
    is: 'refunded',
    final: settled && (side === 'claim' || spend.leaf === 'refund' || (await isFinal(own, leg, coin, null))),
  };
}

/** What we sent and never finished is nobody's: made again it is the same transaction, which goes on. */
async function isFinal(own: Hand, leg: Leg, coin: SeenCoin, secret: Preimage | null): Promise<boolean> {
  const { arkade } = own;
  if (coin.unrolled || coin.spentIn === null) return true;
  const prepared = await prepare(own, leg, coin, secret);
  return prepared.txid !== coin.spentIn || (await arkade().state(prepared.bytes)) === 'final';
}

async function throughOperator(own: Hand, leg: Leg, coin: SeenCoin, secret: Preimage | null): Promise<Done> {
  const { arkade } = own;
  const prepared = await prepare(own, leg, coin, secret);
  const answer = await arkade().submit(prepared.bytes);
  switch (answer.is) {
    case 'later':
      return { is: 'later', sentence: `the operator does not take it yet: ${answer.reason}` };
    case 'refused':
      return { is: 'failed', sentence: `the operator refuses it: ${answer.reason}` };
    case 'spent':
      return { is: 'later', sentence: 'it was spent meanwhile' };
    case 'claimed':
      return { is: 'later', sentence: 'the other party has registered its claim for a batch' };
    case 'recoverable':
      return throughBatch(own, leg, coin, secret);
    case 'unrolled':
      return { is: 'later', sentence: 'it was brought to the chain meanwhile' };
    case 'accepted':
      await arkade().finalize(answer.bytes);
      break;
    case 'final':
      break;
  }
  return { is: 'done', sentence: `done with ${prepared.txid}, to the Arkade wallet` };
}

async function beforeCoin({ arkade }: Hand, { lock }: Leg): Promise<LegLook['state']> {
  const state = lock === undefined ? 'unseen' : await arkade().state(lock);
  if (state === 'unknown')
    return { is: 'unclear', reason: 'the operator does not say whether it has the transaction that makes it' };
  return { is: state === 'accepted' ? 'begun' : 'nothing' };
}

async function finishLock({ arkade }: Hand, lock: Uint8Array): Promise<Done> {
  const answer = await arkade().submit(lock);
  if (answer.is === 'accepted') await arkade().finalize(answer.bytes);
  else if (answer.is !== 'final') return { is: 'later', sentence: `the operator says that it is ${answer.is}` };
  return { is: 'done', sentence: 'what makes it is finished, and its coins are ours again' };
}

async function throughBatch(
  { signal, arkade }: Hand,
  { terms, key }: Leg,
  coin: SeenCoin,
  secret: Preimage | null,
): Promise<Done> {
  const { commitmentTxid } = await arkade().settle({
    terms,
    key,
    coins: [coin],
    ...(secret === null ? { leaf: 'refund-without-receiver' } : { leaf: 'claim', preimage: secret }),
    signal,
  });
  return { is: 'done', sentence: `done by the batch ${commitmentTxid}, to the Arkade wallet` };
}

/** What speaks for it to leave its operator. */
function exitOf(
  { terms }: Leg,
  { outpoint: coin, expiresAt }: ExitPathCoin,
  side: 'claim' | 'refund',
  { by, distrusted }: Sight,
): ExitLook {
  const { refundLocktime, claimDelay, refundWithoutReceiverDelay } = terms;
  return {
    coin,
    served: by === 'operator',
    distrusted,
    ...(side === 'refund'
      ? { delay: refundWithoutReceiverDelay, deadline: expiresAt }
      : { delay: claimDelay, deadline: unix(Math.min(refundLocktime, expiresAt)) }),
  };
}

/** Of a coin that lies on the chain: what it waits for there. */
async function noteOf({ ports }: Hand, { terms }: Leg, coin: SeenCoin, side: 'claim' | 'refund'): Promise<Done | null> {
  if (!coin.unrolled) return null;
  const { onChain, spentIn } = coin;
  if (onChain === undefined) return delayOf(terms, coin, { secret: side === 'claim', ports });
  return { is: 'later', sentence: `spent on the chain by ${spentIn ?? 'a transaction'}, which waits to be buried` };
}
