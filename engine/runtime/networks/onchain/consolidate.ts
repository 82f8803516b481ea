import { bitcoinOf, bitcoinWalletOf } from '../../ports.ts';
import type { EffectOf } from '../act.ts';
import type { OnchainContext } from './context.ts';
import { believedRate } from './fee-rate.ts';
import { affords } from './fund.ts';
import { feeReserveNow } from './reserve.ts';
import { prepared } from './send.ts';

/** Nobody waits for it. */
const within = 6;

/**
 * Chooses coins to join or to split, and signs what does; nothing is sent before the commit that reserves them. It
 * makes way for whatever wants the wallet's coins, and for fees that rose meanwhile: it is asked for again on another
 * day.
 */
export function consolidate(effect: EffectOf<'onchain.consolidate'>, context: OnchainContext): Promise<void> {
  const { ports, store } = context;
  return context.alone('bitcoin', async () => {
    const rate = await believedRate(bitcoinOf(ports), { within, doubtAbove: 0, late: false });
    if (store.effects.waitingFor('htlc.fund').some((funding) => affords(funding.effect, rate)))
      return context.answer({ is: 'send.refused', reason: 'fundings wait for the coins of the wallet' });
    if (rate > effect.mostRate) return context.answer({ is: 'send.refused', reason: 'fees rose meanwhile' });
    await prepared(context, 'consolidate', () =>
      bitcoinWalletOf(ports).prepareConsolidation({
        reserved: store.transactions.reservedCoins(),
        reserve: feeReserveNow(store),
        rate,
        mostFee: effect.mostFee,
      }),
    );
  });
}
