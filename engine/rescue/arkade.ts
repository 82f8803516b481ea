import { PortFailure } from '../domain/errors.ts';
import { asPreimage, type Preimage } from '../domain/hash.ts';
import { outpointKey } from '../domain/outpoint.ts';
import { unix } from '../domain/time.ts';
import type { SeenCoin } from '../legs/arkade/events.ts';
import type { ArkadePort } from '../legs/arkade/port.ts';
import type { PreparedArkTx } from '../legs/arkade/transaction.ts';
import { buried } from '../legs/onchain/depth.ts';
import { preimageMatches } from '../legs/secret.ts';
import { arkadeOf, bitcoinOf } from '../runtime/ports.ts';
import { takeOnChain } from './arkade-chain.ts';
import type { Done, LegHand, LegLook } from './leg.ts';
import type { WayCoin } from './ways.ts';
import {
  type Leg,
  type ArkadeHand,
  type Sight,
  type Hand,
  sight,
  queued,
  isOnlyCalledSpent,
  showsClaim,
} from './arkade-sight.ts';

/** VHTLCs at the operator, and their coins that somebody brought to the chain. */
export function arkadeHand(options: ArkadeHand): LegHand<Leg> {
  const { ports, network, ways, troubles, leaver, signal } = options;
  const arkade = (): ArkadePort => arkadeOf(ports);
  const own: Hand = { ports, ways, troubles, leaver, signal, arkade };

  return {
    name: ({ amount }) => `${amount} sats in a VHTLC on Arkade`,

    async look(leg, side): Promise<LegLook> {
      const at = leg.terms.refundLocktime;
      const { mtp } = await bitcoinOf(ports).tip();
      const timelock = { at, over: mtp >= at, clock: 'the median time past of the Bitcoin chain' };
      const { coin, saved, by } = await sight(own, leg, side);
      if (coin === null && saved !== null)
        return { state: { is: 'unclear', reason: 'the operator does not list it any more' }, timelock };
      return {
        state: coin === null ? await beforeCoin(own, leg) : await stateOf(own, leg, coin, { side, by }),
        timelock,
      };
    },

    async take(leg, secret) {
      const view = await sight(own, leg, secret === null ? 'refund' : 'claim');
      const { coin, saved, by, distrusted } = view;
      if (coin === null || (coin.spent && !isOnlyCalledSpent(coin)))
        return { is: 'later', sentence: 'it has moved meanwhile' };
      if (coin.unrolled) return takeOnChain(leg, coin, secret, { ports, network });
      if (by === 'chain' && saved !== null) return leave(own, leg, saved, secret, distrusted);
      return serve(own, leg, { ...view, coin }, secret);
    },

    async bringOn(leg, secret) {
      const { coin } = await sight(own, leg, secret === null ? 'refund' : 'claim');
      if (leg.lock !== undefined && coin === null) return finishLock(own, leg.lock);
      if (coin === null || coin.unrolled) return { is: 'later', sentence: 'it waits to be buried on the chain' };
      return throughOperator(own, leg, coin, secret);
    },
  };
}

function prepare(
  { arkade }: Hand,
  { terms, key }: Leg,
  coin: SeenCoin,
  secret: Preimage | null,
): Promise<PreparedArkTx> {
  return secret === null
    ? arkade().prepareRefund({ terms, key, coins: [coin] })
    : arkade().prepareClaim({ terms, key, coins: [coin], preimage: secret });
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
  const height = onChain === undefined ? null : (await bitcoinOf(ports).tip()).height;
  const settled = !isOnlyCalledSpent(coin) && (onChain === undefined || buried(onChain.height, height));
  if (spend.leaf === 'claim') {
    const secret = preimageMatches(leg.terms.hash, spend.preimage) ?? asPreimage(spend.preimage);
    return { is: 'claimed', secret, final: settled && (side === 'refund' || (await isFinal(own, leg, coin, secret))) };
  }
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

/** One block nearer to the chain, if its operator is to be left. */
function leave(
  { leaver }: Hand,
  { terms }: Leg,
  saved: WayCoin,
  secret: Preimage | null,
  distrusted: boolean,
): Promise<Done> {
  const { refundLocktime, claimDelay, refundWithoutReceiverDelay } = terms;
  const { expiresAt } = saved;
  return leaver.leave(saved, {
    whose: 'swap',
    haste: distrusted,
    ...(secret === null
      ? { delay: refundWithoutReceiverDelay, deadline: expiresAt }
      : { delay: claimDelay, deadline: unix(Math.min(refundLocktime, expiresAt)) }),
  });
}

/** Through the operator; one that answers and does not serve is left as one that is away is. */
async function serve(
  own: Hand,
  leg: Leg,
  { coin, saved }: Sight & { coin: SeenCoin },
  secret: Preimage | null,
): Promise<Done> {
  const { ports, troubles } = own;
  const through = coin.recoverable
    ? (one: Leg, coin: SeenCoin, secret: Preimage | null) => throughBatch(own, one, coin, secret)
    : (leg: Leg, coin: SeenCoin, secret: Preimage | null) => throughOperator(own, leg, coin, secret);
  const key = outpointKey(coin.outpoint);
  let done: Done | null = null;
  try {
    done = await through(leg, coin, secret);
    if (done.is === 'done') troubles.over(key);
    if (done.is !== 'failed') return done;
  } catch (cause) {
    if (!(cause instanceof PortFailure) || saved === null) throw cause;
    done = { is: 'later', sentence: cause.message };
  }
  if (saved === null) return done;
  troubles.note(key, (await bitcoinOf(ports).tip()).mtp);
  const left = await leave(own, leg, saved, secret, false);
  return { ...left, sentence: `${done.sentence}; ${left.sentence}` };
}
