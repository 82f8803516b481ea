import { bitcoinNetworks } from '../../../domain/chain.ts';
import { btcOn, sats } from '../../../domain/money.ts';
import type { Txid } from '../../../domain/outpoint.ts';
import { furthest, unix, type Unix } from '../../../domain/time.ts';
import { scriptOfAddress } from '../../../legs/onchain/address.ts';
import { buried } from '../../../legs/onchain/depth.ts';
import type { OnchainPurpose } from '../../../legs/onchain/effects.ts';
import type { ChainTip } from '../../../legs/onchain/port.ts';
import type { VhtlcTerms } from '../../../legs/arkade/terms.ts';
import { claimCeiling, lastQuarter } from '../../../quote/ceilings.ts';
import type { Store } from '../../../store/store.ts';
import { NotYet } from '../../not-yet.ts';
import { noUrgency } from '../onchain/fee-urgency.ts';
import { brought, isOurs, minedAt, reached, tipNow } from '../onchain/transactions.ts';
import { arkadeOf, bitcoinOf } from '../../ports.ts';
import type { EffectOf } from '../act.ts';
import type { ArkadeContext } from './context.ts';
import { believedRate } from '../onchain/fee-rate.ts';
import { ifKnown } from '../if-known.ts';
import { preimageOf } from '../preimage.ts';
import { coinNow } from './coin.ts';

/**
 * Signs the claim or refund of a coin that lies on the chain, or is on its way there; nothing is sent before the commit
 * that saves it. It may wait a day for its delay: then the broadcast finds whether the fee still fits.
 */
export async function prepareExit(effect: EffectOf<'vhtlc.exit'>, context: ArkadeContext): Promise<void> {
  const { ports, clock, answer, ceilings } = context;
  const { terms, key, purpose, coin } = effect;
  const bitcoin = bitcoinOf(ports);
  if (purpose === 'refund') {
    const { mtp } = furthest(clock.now().bitcoin);
    if (mtp === null || mtp < terms.refundLocktime)
      throw new NotYet(null, 'the refund is locked until median time past reaches its locktime');
  }
  if ((await bitcoin.transaction(coin.txid)) === null && (await isServed(effect, context)))
    return answer({
      is: 'vhtlc.refused',
      purpose,
      txid: null,
      coin,
      why: 'refused',
      reason: 'the chain has nothing of the coin, and the operator serves it',
    });
  const { amount, minedIn } = await brought(bitcoin, effect.script, coin);
  const tip = await tipNow(context);
  const raiseFrom = purpose === 'claim' && tip !== null ? claimIsLate(terms, tip, minedIn ?? tip.height) : null;
  const spend = await bitcoin.spend(coin);
  // A spend that is not buried may be a reorganisation's or a liar's: ours is sent against it.
  if (spend !== null && buried(spend.height, tip?.height ?? null) && !isOurs(spend, context)) {
    answer({ is: 'vhtlc.refused', purpose, txid: null, coin, why: 'spent', reason: 'the coin is spent on the chain' });
    return;
  }
  const late = reached(raiseFrom, tip, context);
  const feeRate = Math.max(
    effect.leastRate,
    await believedRate(bitcoin, { within: noUrgency.within, doubtAbove: 0, late }),
  );
  const made = await arkadeOf(ports).prepareExit({
    terms,
    key,
    coin: { ...coin, amount },
    purpose,
    feeRate,
    mostFee: claimCeiling(amount, ceilings(), late),
    ...(await payee(context)),
    ...(purpose === 'claim' ? { preimage: preimageOf(terms.hash, context) } : {}),
  });
  answer(
    {
      is: 'onchain.prepared',
      leg: 'arkade',
      purpose,
      txid: made.txid,
      coin,
      amount,
      rate: made.rate,
      capped: made.capped,
      ...(raiseFrom === null || late ? {} : { raiseFrom }),
      height: tip?.height ?? clock.tip()?.height ?? 0,
    },
    {
      prepared: (open, now) => {
        // The same fee makes the same transaction; and its input is no wallet coin, so that nothing is reserved.
        const state = open.transactions.byId(made.txid)?.state;
        if (state !== 'prepared' && state !== 'accepted')
          open.transactions.insert(onChain(context, { txid: made.txid, purpose, bytes: made.bytes }, open), now);
      },
    },
  );
}

/** The operator lists it as one to be had, whatever it said before; unknown is no. */
async function isServed({ script, coin }: EffectOf<'vhtlc.exit'>, { ports }: ArkadeContext): Promise<boolean> {
  const listed = await ifKnown(() => coinNow(arkadeOf(ports), script, coin));
  return listed !== null && !listed.unrolled && !listed.spent;
}

/**
 * Signs the way home of our own coins; nothing is sent before the commit that saves it. A coin that somebody else's
 * spend took meanwhile cannot be ours to sign for: the rest is chosen anew.
 */
export async function prepareSweep(effect: EffectOf<'arkade.sweep'>, context: ArkadeContext): Promise<void> {
  const { ports, store, row, answer } = context;
  const bitcoin = bitcoinOf(ports);
  const { height } = await bitcoin.tip();
  const own = new Set(store.transactions.of(row.subject).map(({ txid }) => txid));
  for (const { outpoint } of effect.coins) {
    const spend = await bitcoin.spend(outpoint);
    if (spend !== null && spend.height !== null && !own.has(spend.txid))
      return answer({
        is: 'onchain.refused',
        leg: 'arkade',
        txid: spend.txid,
        why: 'spent',
        reason: 'a coin is spent on the chain',
      });
  }
  // Nothing runs out for these: a rate that one source alone asks is not paid.
  const feeRate = Math.max(
    effect.leastRate,
    await believedRate(bitcoin, { within: noUrgency.within, doubtAbove: 0, late: false }),
  );
  const made = await arkadeOf(ports).prepareSweep({ coins: effect.coins, feeRate, ...(await payee(context)) });
  const [first] = made.coins;
  if (first === undefined) throw new RangeError('a sweep spends at least one coin');
  const amount = sats(made.coins.reduce((sum, coin) => sum + coin.amount, 0n));
  answer(
    {
      is: 'sweep.prepared',
      txid: made.txid,
      spends: { txid: first.txid, vout: first.vout },
      amount,
      rate: made.rate,
      capped: made.capped,
      height,
    },
    {
      prepared: (open, now) => {
        const state = open.transactions.byId(made.txid)?.state;
        if (state !== 'prepared' && state !== 'accepted')
          open.transactions.insert(
            onChain(context, { txid: made.txid, purpose: 'exit', bytes: made.bytes }, open),
            now,
          );
      },
    },
  );
}

/** A transaction whose inputs are no coins of the wallet, in the place of the one before it. */
function onChain(
  { row }: ArkadeContext,
  made: { txid: Txid; purpose: OnchainPurpose; bytes: Uint8Array },
  open: Pick<Store, 'transactions'>,
) {
  const { subject } = row;
  return {
    ...btcOn('bitcoin'),
    ...made,
    subject,
    leg: 'arkade' as const,
    inputs: [],
    replaces: open.transactions.standing({ subject, leg: 'arkade', network: 'bitcoin' }),
  };
}

/** The owner's Bitcoin wallet, where there is one. */
async function payee({ ports }: ArkadeContext): Promise<{ to?: Uint8Array }> {
  if (ports.bitcoinWallet === undefined) return {};
  const address = await ports.bitcoinWallet.address();
  const to = bitcoinNetworks.map((network) => scriptOfAddress(address, network)).find((script) => script !== null);
  return to === undefined ? {} : { to };
}

/**
 * The last quarter of the time between our claim's delay and the client's way back alone: from then on a claim may cost
 * all of its coin.
 */
function claimIsLate(terms: VhtlcTerms, tip: ChainTip, minedIn: number): Unix {
  const since = minedAt(minedIn, tip);
  const deadline = Math.max(terms.refundLocktime, since + terms.refundWithoutReceiverDelay);
  return lastQuarter(unix(since + terms.claimDelay), unix(deadline));
}
