import type { BitcoinNetwork } from '../domain/chain.ts';
import { PortFailure } from '../domain/errors.ts';
import { asPreimage, type Preimage } from '../domain/hash.ts';
import { outpointKey, sameOutpoint } from '../domain/outpoint.ts';
import { unix } from '../domain/time.ts';
import type { SeenCoin } from '../legs/arkade/events.ts';
import type { ArkadePort } from '../legs/arkade/port.ts';
import { vhtlcScript } from '../legs/arkade/script.ts';
import { preimageIn } from '../legs/arkade/spend.ts';
import type { PreparedArkTx } from '../legs/arkade/transaction.ts';
import { buried } from '../legs/onchain/depth.ts';
import type { RescueLeg } from '../legs/rescue.ts';
import { preimageMatches } from '../legs/secret.ts';
import { coinsOrNamed } from '../runtime/networks/arkade/lists.ts';
import { unreadSpenders, withSpend, type Reading } from '../runtime/networks/arkade/spends.ts';
import { arkadeOf, bitcoinOf, isAbsent, type Ports } from '../runtime/ports.ts';
import { coinByChain, savedCoin, takeOnChain } from './arkade-chain.ts';
import type { Leaver } from './leave.ts';
import type { Done, LegHand, LegLook } from './leg.ts';
import { operatorTrouble, type Troubles } from './troubles.ts';
import type { WayBook, WayCoin } from './ways.ts';

type Leg = Extract<RescueLeg, { on: 'arkade' }>;

export interface ArkadeHand {
  readonly ports: Ports;
  readonly network: BitcoinNetwork;
  readonly ways: WayBook;
  readonly troubles: Troubles;
  readonly leaver: Leaver;
  readonly signal: AbortSignal;
}

/** A coin, and by whose word: `saved` is what was verified once, which the operator does not serve now. */
interface Sight {
  readonly coin: SeenCoin | null;
  readonly saved: WayCoin | null;
  readonly by: 'operator' | 'chain';
  /** The operator denies it, and does not show why. */
  readonly distrusted: boolean;
}

/** So long may an operator leave a coin out of its lists, or call it spent without showing by what, in seconds. */
const deniedFor = 600;

/** VHTLCs at the operator, and their coins that somebody brought to the chain. */
export function arkadeHand(options: ArkadeHand): LegHand<Leg> {
  const { ports, network, ways, troubles, leaver, signal } = options;
  const arkade = (): ArkadePort => arkadeOf(ports);

  async function coinOf({ terms, key, coin, amount }: Leg, side: 'claim' | 'refund'): Promise<SeenCoin | null> {
    const reading: Reading = {
      terms,
      key: side === 'refund' ? key : null,
      spends: new Map(),
      final: new Set(),
      unread: new Map(),
    };
    const coins = await coinsOrNamed(arkade(), vhtlcScript(terms).pkScript, coin === null ? [] : [coin]);
    const named = coins.find((one) => (coin === null ? one.amount === amount : sameOutpoint(one.outpoint, coin)));
    // Whatever was paid to the address of a swap of our own and not taken is ours: too little, or twice.
    const isFree = side === 'refund' && key.branch === 'taker' && named?.spent !== false;
    const own = (isFree ? coins.find(({ spent }) => !spent) : undefined) ?? named;
    if (own === undefined) return null;
    const spenders = await arkade().virtualTxs(unreadSpenders([{ one: reading, coins: [own] }]));
    return withSpend(reading, own, { spenders, arkade: arkade(), bitcoin: ports.bitcoin });
  }

  /** An operator that does not answer, or denies the coin, is not the end of one whose way to the chain was saved. */
  async function sight(leg: Leg, side: 'claim' | 'refund'): Promise<Sight> {
    const saved = savedCoin(leg, ways);
    const { mtp } = await bitcoinOf(ports).tip();
    let coin: SeenCoin | null;
    try {
      coin = await coinOf(leg, side);
    } catch (cause) {
      if (!(cause instanceof PortFailure)) throw cause;
      troubles.note(operatorTrouble, mtp);
      if (saved === null || isAbsent(cause)) throw cause;
      return { coin: await coinByChain(leg, saved, ports), saved, by: 'chain', distrusted: false };
    }
    troubles.over(operatorTrouble);
    if (saved === null) return { coin, saved, by: 'operator', distrusted: false };
    const key = `denied ${outpointKey(saved.outpoint)}`;
    if (!isDenied(coin)) {
      troubles.over(key);
      return { coin, saved, by: 'operator', distrusted: false };
    }
    troubles.note(key, mtp);
    const byChain = await coinByChain(leg, saved, ports);
    const distrusted = coin?.spend === 'unknown' || (troubles.lasts(key, mtp) ?? 0) >= deniedFor;
    if (byChain.unrolled || distrusted) return { coin: byChain, saved, by: 'chain', distrusted };
    return { coin, saved, by: 'operator', distrusted: false };
  }

  /**
   * A claim of the client's that waits for a round shows its secret, and nothing else does once the coin has expired.
   */
  async function queued({ terms, key }: Leg, coin: SeenCoin): Promise<Preimage | null> {
    const waiting = await arkade().waiting({ terms, key, coins: [coin], where: 'queue' });
    return waiting.map((bytes) => preimageIn(terms.hash, bytes, coin.outpoint)).find((one) => one !== null) ?? null;
  }

  function prepare({ terms, key }: Leg, coin: SeenCoin, secret: Preimage | null): Promise<PreparedArkTx> {
    return secret === null
      ? arkade().prepareRefund({ terms, key, coins: [coin] })
      : arkade().prepareClaim({ terms, key, coins: [coin], preimage: secret });
  }

  async function stateOf(
    leg: Leg,
    coin: SeenCoin,
    { side, by }: { readonly side: 'claim' | 'refund'; readonly by: Sight['by'] },
  ): Promise<LegLook['state']> {
    const { spend, onChain } = coin;
    const isOursThere = isOnlyCalledSpent(coin) && (side === 'claim' || !showsClaim(coin));
    if ((!coin.spent && spend === null) || isOursThere) {
      const queues = side === 'refund' && by === 'operator' && !coin.unrolled;
      const secret = queues ? await queued(leg, coin) : null;
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
      return { is: 'claimed', secret, final: settled && (side === 'refund' || (await isFinal(leg, coin, secret))) };
    }
    return {
      is: 'refunded',
      final: settled && (side === 'claim' || spend.leaf === 'refund' || (await isFinal(leg, coin, null))),
    };
  }

  /** What we sent and never finished is nobody's: made again it is the same transaction, which goes on. */
  async function isFinal(leg: Leg, coin: SeenCoin, secret: Preimage | null): Promise<boolean> {
    if (coin.unrolled || coin.spentIn === null) return true;
    const prepared = await prepare(leg, coin, secret);
    return prepared.txid !== coin.spentIn || (await arkade().state(prepared.bytes)) === 'final';
  }

  async function throughOperator(leg: Leg, coin: SeenCoin, secret: Preimage | null): Promise<Done> {
    const prepared = await prepare(leg, coin, secret);
    const answer = await arkade().submit(prepared.bytes);
    switch (answer.is) {
      case 'later':
        return { is: 'later', sentence: `the operator does not take it yet: ${answer.reason}` };
      case 'refused':
        return { is: 'failed', sentence: `the operator refuses it: ${answer.reason}` };
      case 'spent':
        return { is: 'later', sentence: 'it was spent meanwhile' };
      case 'recoverable':
        return throughBatch(leg, coin, secret);
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

  async function beforeCoin({ lock }: Leg): Promise<LegLook['state']> {
    const state = lock === undefined ? 'unseen' : await arkade().state(lock);
    if (state === 'unknown')
      return { is: 'unclear', reason: 'the operator does not say whether it has the transaction that makes it' };
    return { is: state === 'accepted' ? 'begun' : 'nothing' };
  }

  async function finishLock(lock: Uint8Array): Promise<Done> {
    const answer = await arkade().submit(lock);
    if (answer.is === 'accepted') await arkade().finalize(answer.bytes);
    else if (answer.is !== 'final') return { is: 'later', sentence: `the operator says that it is ${answer.is}` };
    return { is: 'done', sentence: 'what makes it is finished, and its coins are ours again' };
  }

  async function throughBatch({ terms, key }: Leg, coin: SeenCoin, secret: Preimage | null): Promise<Done> {
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
  function leave({ terms }: Leg, saved: WayCoin, secret: Preimage | null, distrusted: boolean): Promise<Done> {
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
  async function serve(leg: Leg, { coin, saved }: Sight & { coin: SeenCoin }, secret: Preimage | null): Promise<Done> {
    const through = coin.recoverable ? throughBatch : throughOperator;
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
    const left = await leave(leg, saved, secret, false);
    return { ...left, sentence: `${done.sentence}; ${left.sentence}` };
  }

  return {
    name: ({ amount }) => `${amount} sats in a VHTLC on Arkade`,

    async look(leg, side): Promise<LegLook> {
      const at = leg.terms.refundLocktime;
      const { mtp } = await bitcoinOf(ports).tip();
      const timelock = { at, over: mtp >= at, clock: 'the median time past of the Bitcoin chain' };
      const { coin, saved, by } = await sight(leg, side);
      if (coin === null && saved !== null)
        return { state: { is: 'unclear', reason: 'the operator does not list it any more' }, timelock };
      return { state: coin === null ? await beforeCoin(leg) : await stateOf(leg, coin, { side, by }), timelock };
    },

    async take(leg, secret) {
      const view = await sight(leg, secret === null ? 'refund' : 'claim');
      const { coin, saved, by, distrusted } = view;
      if (coin === null || (coin.spent && !isOnlyCalledSpent(coin)))
        return { is: 'later', sentence: 'it has moved meanwhile' };
      if (coin.unrolled) return takeOnChain(leg, coin, secret, { ports, network });
      if (by === 'chain' && saved !== null) return leave(leg, saved, secret, distrusted);
      return serve(leg, { ...view, coin }, secret);
    },

    async bringOn(leg, secret) {
      const { coin } = await sight(leg, secret === null ? 'refund' : 'claim');
      if (leg.lock !== undefined && coin === null) return finishLock(leg.lock);
      if (coin === null || coin.unrolled) return { is: 'later', sentence: 'it waits to be buried on the chain' };
      return throughOperator(leg, coin, secret);
    },
  };
}

/**
 * Of a coin that lies on the chain the operator's word is none: it may hold a transaction for accepted that will never
 * be final.
 */
function isOnlyCalledSpent({ unrolled, spent, onChain }: SeenCoin): boolean {
  return unrolled && spent && onChain === undefined;
}

function showsClaim({ spend }: SeenCoin): boolean {
  return typeof spend === 'object' && spend?.leaf === 'claim';
}

/** Not listed any more, or spent by nothing that is shown. */
function isDenied(coin: SeenCoin | null): boolean {
  if (coin === null) return true;
  return coin.spent && coin.onChain === undefined && (coin.spend === null || coin.spend === 'unknown');
}
