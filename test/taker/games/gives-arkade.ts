import { unix } from '../../../engine/domain/time.ts';
import type { Txid } from '../../../engine/domain/outpoint.ts';
import { sameOutpoint, type Outpoint } from '../../../engine/domain/outpoint.ts';
import type { SeenCoin } from '../../../engine/legs/arkade/events.ts';
import type { Effect, Event } from '../../../engine/swap/machine.ts';
import type { ArkadeLeg } from '../../../engine/taker/terms.ts';
import { coin, preimage, start, txid } from '../../swap/cases.ts';
import type { Given, Ground, Luck } from './ground.ts';

interface Paid {
  readonly outpoint: Outpoint;
  readonly amount: bigint;
  spend: { readonly leaf: 'claim' | 'refund' | 'refund-without-receiver'; readonly txid: Txid } | null;
}

/** What was signed of a refund, which whoever has it may send. */
interface Refund {
  readonly coin: Outpoint;
  readonly leaf: 'refund' | 'refund-without-receiver';
}

/**
 * A client that pays its VHTLC too little, twice or late, and a provider that signs refunds or does not, and takes what
 * it can with the secret.
 */
export function givesOnArkade(ground: Ground): Given {
  const { roll, secret, hear, fail } = ground;
  const { amount: price, script, vhtlc } = ground.legOn<ArkadeLeg>('source');
  const paid: Paid[] = [];
  const refunds = new Map<Txid, Refund>();
  /** The provider signed a refund: what comes of that is its own doing. */
  let isReturned = false;

  const isOpen = (): boolean => ground.mtp() > vhtlc.refundLocktime;
  const at = (point: Outpoint): Paid | undefined => paid.find(({ outpoint }) => sameOutpoint(outpoint, point));

  function shown({ outpoint, amount, spend }: Paid): SeenCoin {
    const expiresAt = unix(start + 90 * 86_400);
    const lies = coin({ outpoint, amount: amount as never, script, expiresAt });
    if (spend === null) return lies;
    const { leaf } = spend;
    const by = leaf === 'claim' ? ({ leaf, preimage } as const) : ({ leaf } as const);
    return { ...lies, spent: true, spentIn: spend.txid, spentBy: spend.txid, spend: by };
  }

  function prepared(refund: Refund): Event {
    const id = String(refunds.size).padStart(64, '9');
    refunds.set(id, refund);
    return { is: 'vhtlc.prepared', purpose: 'refund', txid: id, output: { txid: id, vout: 0 } };
  }

  function submit({ txid: id }: { readonly txid: Txid }): Event {
    const answer = { purpose: 'refund', txid: id } as const;
    const refund = refunds.get(id);
    const source = refund === undefined ? undefined : at(refund.coin);
    if (refund === undefined || source === undefined) return fail('a refund of nothing is sent');
    if (source.spend !== null && source.spend.txid !== id)
      return { is: 'vhtlc.refused', ...answer, why: 'spent', reason: 'spent' };
    if (refund.leaf === 'refund-without-receiver' && !isOpen())
      return { is: 'vhtlc.refused', ...answer, why: 'refused', reason: 'too early' };
    source.spend ??= { leaf: refund.leaf, txid: id };
    return { is: 'vhtlc.accepted', ...answer };
  }

  function run(effect: Effect, luck: Luck): boolean {
    switch (effect.do) {
      case 'provider.cosign':
        isReturned ||= luck > 1;
        hear(
          luck < 2 ? { is: 'provider.declined', reason: 'not now' } : prepared({ coin: effect.coin, leaf: 'refund' }),
          effect,
        );
        return true;
      case 'vhtlc.refund':
        hear(prepared({ coin: effect.coin, leaf: 'refund-without-receiver' }), effect);
        return true;
      case 'vhtlc.submit': {
        if (effect.purpose !== 'refund') return false;
        const answer = submit(effect);
        // A lost answer, or a node that died before its commit: the effect is still owed.
        if (luck > 0) hear(answer, effect);
        return true;
      }
      case 'vhtlc.finalize':
        if (effect.purpose !== 'refund') return false;
        if (luck > 0) hear({ is: 'vhtlc.final', purpose: 'refund', txid: effect.txid }, effect);
        return true;
      default:
        return false;
    }
  }

  function pay(): void {
    if (paid.length >= 3 || isOpen()) return;
    const amount = [price, price, price + 700n, price - 1n][roll(4)] ?? price;
    paid.push({ outpoint: { txid: `${paid.length}`.padStart(64, 'e'), vout: 0 }, amount, spend: null });
  }

  return {
    acts: [pay, pay],
    look: () => hear({ is: 'vhtlc.seen', coins: paid.map(shown) }),
    run,
    take() {
      const source = paid.find(({ amount, spend }) => amount >= price && spend === null);
      const isTaken = paid.some(({ spend }) => spend?.leaf === 'claim');
      if (secret.isOut() && source !== undefined && !isTaken) source.spend = { leaf: 'claim', txid: txid.client };
    },
    isComingBack() {
      const isSigned = ({ outpoint }: Paid) => [...refunds.values()].some(({ coin: of }) => sameOutpoint(of, outpoint));
      return paid.length > 0 && paid.every(isSigned);
    },
    over(state) {
      // One that the provider never took for what it gave is left to it.
      const isOwed = ground.isBought() && !paid.some(({ spend }) => spend?.leaf === 'claim');
      const left = paid.filter(({ spend }) => spend === null);
      if (left.length > (isOwed ? 1 : 0)) fail(`it is ${state} while coins of ours lie there`);
    },
    end() {
      if (paid.some(({ spend }) => spend?.leaf === 'claim')) return 'theirs';
      if (paid.some(({ spend }) => spend === null)) return 'there';
      return !isReturned && paid.some(({ amount }) => amount >= price) ? 'ours' : 'nowhere';
    },
  };
}
