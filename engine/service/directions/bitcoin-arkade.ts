import type { BitcoinArkadeRecord, CreateBitcoinArkade } from '../../contract/directions/bitcoin-arkade.ts';
import { isRefusal, type Refusal } from '../../domain/errors.ts';
import type { PublicKey } from '../../domain/hash.ts';
import { noSats, plus } from '../../domain/money.ts';
import type { ReadClocks } from '../../domain/time.ts';
import { refusedHeights } from '../../legs/block-pace.ts';
import type { HtlcTerms } from '../../legs/onchain/htlc.ts';
import { burialWait, legsForCoin, legsForCoinByHeight, type CoinLegs } from '../../legs/onchain/timelocks.ts';
import { coinLife } from '../../legs/timelocks.ts';
import { priceFromTarget, type Price } from '../../quote/fees.ts';
import { bytesOf } from '../../quote/gas.ts';
import type { DeveloperKey } from '../../store/developer-keys.ts';
import {
  bitcoinArkade,
  viewBitcoinArkade,
  type BitcoinArkadeProgress,
  type BitcoinArkadeTerms,
} from '../../swap/directions/bitcoin-arkade.ts';
import type { ServiceContext } from '../context.ts';
import { openSwap, pricedTerms } from '../create/create.ts';
import { coinTerms } from '../htlc/opening.ts';
import { stopped, tooMuch } from '../limits/limits.ts';
import { fundingConfirmations } from '../limits/funding-confirmations.ts';
import { rateOf } from '../price/rate.ts';
import { recordOf } from '../record.ts';
import { belowDust, wrongTargetAddress } from '../create/target-address.ts';
import { isLockedAway, operatorNow, ourVhtlc } from '../create/vhtlc.ts';
import type { Amendment } from './direction.ts';
import { directionOf } from './entry.ts';

/** Opens the swap: nothing is asked of a network, so that it is answered at once. */
async function createBitcoinArkade(
  context: ServiceContext,
  request: CreateBitcoinArkade,
  developer: DeveloperKey | null,
): Promise<BitcoinArkadeRecord | Refusal> {
  const { policy, config } = context;
  const { hash, targetAddress, door } = request;
  const closed =
    stopped(context, bitcoinArkadeDirection) ?? (door === undefined ? null : refusedHeights(config.network));
  if (closed !== null) return closed;
  const operator = operatorNow(context);
  if (isRefusal(operator)) return operator;
  const astray = targetAddress === null ? null : wrongTargetAddress(context, operator, targetAddress);
  if (astray !== null) return astray;

  const rate = rateOf(context, bitcoinArkadeDirection, request, developer);
  if (isRefusal(rate)) return rate;
  const price = door?.price ?? priceFromTarget(request.receive, rate);
  const refused = tooMuch(context, bitcoinArkadeDirection, price) ?? belowDust(operator, price.target);
  if (refused !== null) return refused;

  const confirmations = fundingConfirmations(config, price.source);
  const opened = await openSwap<BitcoinArkadeTerms, BitcoinArkadeProgress>(context, bitcoinArkadeDirection, {
    machine: bitcoinArkade,
    hash,
    hashOf: 'preimage',
    request,
    price,
    atRisk: door?.vhtlc === 'loose' ? price.target : null,
    reserve: [{ network: 'arkade', amount: price.target }],
    build(key, clocks) {
      const made = lockOf(context, request, { claimer: key.publicKey, clocks, confirmations });
      if (isRefusal(made)) return made;
      const { htlc, vhtlcRefundLocktime, fundBefore, lockBefore, minCoinExpiry } = made;
      const terms: BitcoinArkadeTerms = {
        hash,
        ...pricedTerms(price),
        ...coinTerms(context, htlc, { keyIndex: key.index, confirmations, clocks }),
        ...ourVhtlc(context, operator, {
          ...{ request, key, hash, clocks, form: door?.vhtlc },
          refundLocktime: vhtlcRefundLocktime,
        }),
        ...(door?.hash === undefined ? {} : { sha256: door.hash }),
        ...(door === undefined ? {} : { asksClient: true }),
        claimKeyText: request.claimKey.text,
        refundKeyText: request.refundKey.text,
        fundBefore,
        giveBefore: lockBefore,
        lockBefore,
        minCoinExpiry,
        policy,
      };
      return { terms, progress: { at: 'pending', extras: [], vanished: false }, effects: [] };
    },
  });
  return isRefusal(opened) ? opened : recordOf(context, opened.row.id, bitcoinArkadeDirection);
}

/** The same swap at the price of what its client locked. */
function requoted(
  { config }: Pick<ServiceContext, 'config'>,
  terms: BitcoinArkadeTerms,
  price: Price,
): Amendment<BitcoinArkadeTerms> {
  const confirmations = fundingConfirmations(config, price.source);
  return {
    terms: { ...terms, ...pricedTerms(price), confirmations, amended: true },
    price,
    reserve: { network: 'arkade', amount: price.target },
    ...(terms.vhtlc.sizeGuard === false ? { atRisk: price.target } : {}),
  };
}

/**
 * The HTLC that the client funds, with the times of both locks: as its records have it, or where another door opens the
 * swap as the clients of that one derive it.
 */
function lockOf(
  { policy, config }: Pick<ServiceContext, 'policy' | 'config'>,
  { hash, refundKey, door }: CreateBitcoinArkade,
  of: { readonly claimer: PublicKey; readonly clocks: ReadClocks; readonly confirmations: number },
): (Omit<CoinLegs, 'refundLocktime'> & { readonly htlc: HtlcTerms }) | Refusal {
  const { claimer, clocks, confirmations } = of;
  const conditions = { hash, claimer, refunder: refundKey.key };
  if (door === undefined) {
    const legs = legsForCoin({ clocks, policy, confirmations });
    if (isRefusal(legs)) return legs;
    const { refundLocktime, ...times } = legs;
    return { ...times, htlc: { form: config.bitcoin.htlcForm, ...conditions, refundLocktime } };
  }
  const legs = legsForCoinByHeight({ clocks, policy, confirmations });
  if (isRefusal(legs)) return legs;
  const { refundHeight, ...times } = legs;
  return { ...times, htlc: { form: 'musig', ...conditions, provider: 'claimer', sizeGuard: true, refundHeight } };
}

/**
 * The client pays an HTLC on the Bitcoin chain, we lock on Arkade, and the secret that its claim shows claims the
 * bitcoin.
 */
export const bitcoinArkadeDirection = directionOf<'bitcoin-arkade', BitcoinArkadeTerms, BitcoinArkadeProgress>(
  bitcoinArkade,
  {
    name: 'bitcoin-arkade',
    source: 'Bitcoin',
    target: 'Arkade',
    needs: ['arkade', 'bitcoin'],
    locksOn: 'arkade',
    unpaidOn: ['arkade'],
    exposedOn: ['arkade', 'bitcoin'],
    costs({ bytes }) {
      const claim = bytes(bytesOf.claim);
      return { source: claim, target: noSats, flat: noSats, relay: noSats, exit: plus(claim, bytes(bytesOf.refund)) };
    },
    // Without a wallet there is nowhere for the bitcoin to go.
    liquidity: ({ networks, policy, config }) =>
      networks.bitcoinWallet().state === 'absent'
        ? noSats
        : networks.arkadeLockable(coinLife(policy, burialWait(config.bitcoin.confirmations[1]))),
    atOperator: isLockedAway,
    bringsToOperator: false,
    create: createBitcoinArkade,
    view: viewBitcoinArkade,
    vhtlc: (terms) => ({ terms: terms.vhtlc, script: terms.script }),
    requote: requoted,
    htlc: ({ htlc: terms, keyIndex }) => (terms.form === 'musig' ? { terms, keyIndex, latePayment: null } : null),
  },
);
