import type { SeenLock } from '../../../engine/legs/evm/events.ts';
import { safeToRevealForLock } from '../../../engine/legs/safety/reveal.ts';
import { unix } from '../../../engine/domain/time.ts';
import type { Effect } from '../../../engine/swap/machine.ts';
import type { EvmClaimTerms } from '../../../engine/taker/halves/evm/claim/terms.ts';
import type { EvmLeg } from '../../../engine/taker/evm/terms.ts';
import { preimage } from '../../swap/cases.ts';
import { offer, tx } from '../arkade-evm-cases.ts';
import { type Got, type Ground, type Luck } from './ground.ts';

/**
 * A provider that locks tokens, in a block that may go away, claims for the client or only says so, and takes its lock
 * back when it can.
 */
export function getsOnEvm(ground: Ground): Got {
  const { roll, secret, hear, fail } = ground;
  const { network, lock } = ground.legOn<EvmLeg>('target');
  const { burial } = ground.terms as unknown as EvmClaimTerms;
  const timelock = Number(lock.timelock);
  let made = null as number | null;
  let less = false;
  let end = null as { readonly is: 'redeemed' | 'refunded'; readonly since: number } | null;
  /** Its claim was in a block that went away, and waits for another. */
  let waits = false;
  let sends = 0;

  const depth = (since: number): number => 1 + Math.floor((ground.wall() - since) / 2);

  function locks(): SeenLock[] {
    if (made === null) return [];
    const by = end === null ? 0 : depth(end.since);
    const state: SeenLock['state'] =
      end === null
        ? { is: 'active' }
        : end.is === 'redeemed'
          ? { is: 'redeemed', preimage, txid: tx.claim, confirmations: by }
          : { is: 'refunded', txid: tx.refund, confirmations: by };
    return [offer({ confirmations: depth(made), state }, less ? { amount: lock.amount - 1n } : {})];
  }

  const stands = (): boolean => made !== null && end === null && !less;

  function redeem(): boolean {
    if (stands()) end = { is: 'redeemed', since: ground.wall() };
    return end?.is === 'redeemed';
  }

  function ask(effect: Effect & { do: 'provider.claim-evm' }, luck: Luck): void {
    const reason = 'not now';
    if (luck === 0 && !secret.isOut()) return hear({ is: 'provider.claim-withheld', reason, unreached: true }, effect);
    const shown = secret.show(effect.onlyIf);
    if (shown === 'late') return hear({ is: 'provider.claim-withheld', reason }, effect);
    if (shown === 'wait') return;
    if (luck === 1) return hear({ is: 'provider.declined', reason }, effect);
    if (luck > 2) redeem();
    return hear({ is: 'provider.relayed', txid: null }, effect);
  }

  function send(effect: Effect & { do: 'evm.send' }, luck: Luck): void {
    const purpose = 'taker-claim';
    const shown = secret.show(effect.onlyIf);
    if (shown === 'late') return hear({ is: 'evm.refused', purpose, reason: 'late' }, effect);
    if (shown === 'wait') return;
    if (end !== null && end.is === 'redeemed') return;
    const txid = String(++sends).padStart(64, '5');
    hear({ is: 'evm.prepared', purpose, txid }, effect);
    const state = { is: 'mined', by: txid, ok: false, confirmations: 1, cost: 1n } as const;
    if (luck === 0 || !redeem()) hear({ is: 'evm.sent', purpose, txid, state });
  }

  function run(effect: Effect, luck: Luck): boolean {
    if (effect.do === 'provider.claim-evm') ask(effect, luck);
    else if (effect.do === 'evm.send' && effect.act.is === 'taker-claim') send(effect, luck);
    else return false;
    return true;
  }

  return {
    acts: [
      () => {
        if (made !== null) return;
        made = ground.wall();
        less = roll(5) === 0;
      },
      () => {
        // A block that goes away takes a shallow lock, or the claim of one, with it.
        if (end?.is === 'redeemed' && depth(end.since) < burial) {
          end = null;
          waits = true;
        } else if (made !== null && end === null && depth(made) < burial && !secret.isOut()) made = null;
      },
    ],
    look: () =>
      hear({
        is: 'evm.seen',
        network,
        height: 1,
        time: unix(ground.evmTime()),
        asked: unix(ground.wall()),
        locks: locks(),
      }),
    run,
    judge(onlyIf, now) {
      if (onlyIf.offer === undefined) return fail('a lock is claimed without a look at it');
      const at = stands() && made !== null ? depth(made) : null;
      return safeToRevealForLock(
        { network, depth: at, confirmations: burial, timelock: unix(timelock) },
        now,
        ground.policy,
      );
    },
    passed() {
      if (waits) redeem();
      waits = false;
    },
    takeBack() {
      if (made !== null && end === null && ground.evmTime() >= timelock) end = { is: 'refunded', since: ground.wall() };
    },
    isBack: () => end?.is === 'refunded',
    isOurs: () => end?.is === 'redeemed',
  };
}
