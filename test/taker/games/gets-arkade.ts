import { unix } from '../../../engine/domain/time.ts';
import type { SeenCoin } from '../../../engine/legs/arkade/events.ts';
import { safeToReveal } from '../../../engine/legs/safety/reveal.ts';
import type { Effect, Event } from '../../../engine/swap/machine.ts';
import type { ArkadeLeg } from '../../../engine/taker/terms.ts';
import { coin, preimage, txid } from '../../swap/cases.ts';
import { about, type Got, type Ground, type Luck } from './ground.ts';

/** A provider that locks a VHTLC of whatever amount and expiry, and takes it back when it can. */
export function getsOnArkade(ground: Ground): Got {
  const { roll, secret, hear, fail } = ground;
  const { amount, script, vhtlc: terms } = ground.legOn<ArkadeLeg>('target');
  let vhtlc = null as SeenCoin | null;
  let state = 'none' as 'none' | 'locked' | 'accepted' | 'claimed' | 'back';

  function coins(): SeenCoin[] {
    if (vhtlc === null) return [];
    const spent = (leaf: SeenCoin['spend'], by: string) => ({ spent: true, spentIn: by, spentBy: by, spend: leaf });
    if (state === 'claimed') return [{ ...vhtlc, ...spent({ leaf: 'claim', preimage }, txid.claim) }];
    if (state === 'back') return [{ ...vhtlc, ...spent({ leaf: 'refund-without-receiver' }, txid.client) }];
    return [vhtlc];
  }

  function submit(effect: Effect & { do: 'vhtlc.submit' }): Event | null {
    const answer = { purpose: 'claim', txid: effect.txid } as const;
    if (state === 'accepted' || state === 'claimed') return { is: 'vhtlc.accepted', ...answer };
    if (vhtlc === null) return fail('a claim of a VHTLC that is not there');
    const shown = secret.show(effect.onlyIf);
    if (shown === 'wait') return null;
    if (shown === 'late') return { is: 'vhtlc.refused', ...answer, why: 'late', reason: 'late' };
    if (state === 'back') return { is: 'vhtlc.refused', ...answer, why: 'spent', reason: 'spent' };
    state = 'accepted';
    return { is: 'vhtlc.accepted', ...answer };
  }

  function run(effect: Effect, luck: Luck): boolean {
    switch (effect.do) {
      case 'vhtlc.claim':
        hear(
          { is: 'vhtlc.prepared', purpose: 'claim', txid: txid.claim, output: { txid: txid.claim, vout: 0 } },
          effect,
        );
        return true;
      case 'vhtlc.submit': {
        const answer = submit(effect);
        if (answer !== null && luck > 0) hear(answer, effect);
        return true;
      }
      case 'vhtlc.finalize':
        state = 'claimed';
        if (luck > 0) hear({ is: 'vhtlc.final', purpose: 'claim', txid: effect.txid }, effect);
        return true;
      default:
        return false;
    }
  }

  return {
    acts: [
      () => {
        if (state !== 'none') return;
        const expiresAt = unix(terms.refundLocktime + 86_400 * roll(2));
        vhtlc = coin({ amount: about(ground, amount), script, expiresAt });
        state = 'locked';
      },
    ],
    look: () => hear({ is: 'vhtlc.seen', coins: coins() }),
    run,
    judge(onlyIf, now) {
      const { reveal } = onlyIf;
      if (reveal === undefined || vhtlc === null) return fail('a VHTLC is claimed without a look at it');
      return safeToReveal({ ...reveal, coin: { ...vhtlc, spent: state === 'back' } }, now, ground.policy);
    },
    takeBack() {
      if (state === 'locked' && ground.mtp() > terms.refundLocktime) state = 'back';
    },
    isBack: () => state === 'back',
    isOurs: () => state === 'claimed',
  };
}
