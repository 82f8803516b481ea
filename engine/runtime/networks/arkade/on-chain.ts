import type { Outpoint } from '../../../domain/outpoint.ts';
import { unix } from '../../../domain/time.ts';
import type { RefusedFor } from '../../../legs/arkade/events.ts';
import type { BitcoinPort } from '../../../legs/onchain/port.ts';
import type { Vtxo } from '../../../legs/arkade/vtxo.ts';
import type { Store } from '../../../store/store.ts';
import type { EffectOf } from '../act.ts';
import type { ArkadeContext } from './context.ts';
import { ifKnown } from '../if-known.ts';

/** What is needed to look for coins where no operator lists them. */
interface OnChain {
  readonly store: Pick<Store, 'exits'>;
  readonly bitcoin: BitcoinPort | null;
}

/** On the chain nothing of an operator's expires. */
const never = unix(0xffff_ffff);

/** Whether a coin of ours, by what was saved when it was made, is in a block now. */
export async function isBrought(coin: Outpoint, { store, bitcoin }: OnChain): Promise<boolean> {
  if (bitcoin === null || !store.exits.has(coin)) return false;
  const transaction = await ifKnown(() => bitcoin.transaction(coin.txid));
  return transaction !== null && transaction.height !== null;
}

/**
 * Whether the chain has what an operator says was brought there, in a block or on its way. By that word alone a coin
 * would be waited for where it never comes, and nobody would bring it (facts/faults.md 347). Without a chain to ask the
 * word is all there is.
 */
export async function chainHas({ txid }: Outpoint, bitcoin: BitcoinPort | null): Promise<boolean> {
  return bitcoin === null || (await bitcoin.transaction(txid)) !== null;
}

/**
 * What becomes of a coin that its operator refuses as one on the chain: `spent`, where the chain has nothing of it, so
 * that the watch tells what is left of it.
 */
export async function whyUnrolled(
  coin: Outpoint | undefined,
  bitcoin: BitcoinPort | null,
): Promise<{ readonly why: RefusedFor; readonly reason: string }> {
  return coin === undefined || (await chainHas(coin, bitcoin))
    ? { why: 'unrolled', reason: 'the coin was brought to the chain' }
    : { why: 'spent', reason: 'the operator says that the coin was brought to the chain, which has nothing of it' };
}

/** Coins at a script that are in a block now, for who cannot ask their operator. */
export async function broughtCoins(script: Uint8Array, from: OnChain): Promise<Vtxo[]> {
  const coins: Vtxo[] = [];
  for (const { outpoint, amount } of from.store.exits.at(script))
    if (await isBrought(outpoint, from))
      coins.push({
        outpoint,
        script,
        amount,
        createdAt: unix(0),
        expiresAt: never,
        recoverable: false,
        unrolled: true,
        spent: false,
        spentIn: null,
        spentBy: null,
        settledBy: null,
      });
  return coins;
}

type Taking = EffectOf<'vhtlc.claim' | 'vhtlc.refund' | 'vhtlc.settle' | 'vhtlc.submit' | 'vhtlc.finalize'>;

/**
 * What takes a coin from its operator ends where the coin left it for the chain, whether or not that operator still
 * says so.
 */
export function unlessBrought<E extends Taking>(
  run: (effect: E, context: ArkadeContext) => Promise<void>,
): (effect: E, context: ArkadeContext) => Promise<void> {
  return async (effect, context) => {
    try {
      await run(effect, context);
    } catch (cause) {
      const { store, ports, answer } = context;
      const purpose = effect.do === 'vhtlc.claim' ? 'claim' : effect.do === 'vhtlc.refund' ? 'refund' : effect.purpose;
      if (purpose === 'lock') throw cause;
      const txid = 'txid' in effect ? effect.txid : null;
      if (effect.coin !== undefined && (await isBrought(effect.coin, { store, bitcoin: ports.bitcoin })))
        return answer(
          {
            is: 'vhtlc.refused',
            purpose,
            txid,
            coin: effect.coin,
            why: 'unrolled',
            reason: 'the coin was brought to the chain',
          },
          txid === null ? {} : { always: (open, now) => open.transactions.close(txid, 'dead', now) },
        );
      throw cause;
    }
  };
}
