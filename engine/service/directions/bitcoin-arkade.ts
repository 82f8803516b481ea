import type { BitcoinArkadeRecord, CreateBitcoinArkade } from '../../contract/directions/bitcoin-arkade.ts';
import { isRefusal, refuse, type Refusal } from '../../domain/errors.ts';
import { noSats, plus } from '../../domain/money.ts';
import { htlcAddress, htlcScript, type HtlcTerms } from '../../legs/onchain/htlc.ts';
import { burialWait, legsForCoin } from '../../legs/onchain/timelocks.ts';
import { coinLife } from '../../legs/timelocks.ts';
import { priceFromTarget } from '../../quote/fees.ts';
import { bytesOf } from '../../quote/gas.ts';
import type { DeveloperKey } from '../../store/developer-keys.ts';
import { bitcoinArkade } from '../../swap/directions/bitcoin-arkade/machine.ts';
import type { BitcoinArkadeProgress, BitcoinArkadeTerms } from '../../swap/directions/bitcoin-arkade/terms.ts';
import { viewBitcoinArkade } from '../../swap/directions/bitcoin-arkade/view.ts';
import type { ServiceContext } from '../context.ts';
import { openSwap } from '../create.ts';
import { notNow, stopped, tooMuch } from '../limits.ts';
import { fundingConfirmations } from '../funding-confirmations.ts';
import { rateOf } from '../rate.ts';
import { recordOf } from '../record.ts';
import { belowDust, wrongTargetAddress } from '../target-address.ts';
import { isLockedAway, vhtlcOf } from '../vhtlc.ts';
import { directionOf } from './entry.ts';

/** Opens the swap: nothing is asked of a network, so that it is answered at once. */
async function createBitcoinArkade(
  context: ServiceContext,
  request: CreateBitcoinArkade,
  developer: DeveloperKey | null,
): Promise<BitcoinArkadeRecord | Refusal> {
  const { networks, policy, config } = context;
  const closed = stopped(context, bitcoinArkadeDirection);
  if (closed !== null) return closed;
  const arkade = networks.arkade();
  if (arkade.state !== 'connected')
    return refuse('unavailable', 'The Arkade operator does not answer now: try again later.');
  const operator = arkade.facts.info;
  const astray = wrongTargetAddress(context, operator, request.targetAddress);
  if (astray !== null) return astray;

  const rate = rateOf(context, bitcoinArkadeDirection, request, developer);
  if (isRefusal(rate)) return rate;
  const price = priceFromTarget(request.receive, rate);
  const refused = tooMuch(context, bitcoinArkadeDirection, price) ?? belowDust(operator, price.target);
  if (refused !== null) return refused;

  const { hash } = request;
  const confirmations = fundingConfirmations(config, price.source);
  const opened = await openSwap<BitcoinArkadeTerms, BitcoinArkadeProgress>(context, {
    machine: bitcoinArkade,
    hash,
    hashOf: 'preimage',
    userId: request.userId,
    value: price.target,
    refused: () => notNow(context) ?? tooMuch(context, bitcoinArkadeDirection, price),
    reserve: [{ network: 'arkade', amount: price.target }],
    build(key, clocks) {
      const legs = legsForCoin({ clocks, policy, confirmations });
      if (isRefusal(legs)) return legs;
      const { refundLocktime, vhtlcRefundLocktime, fundBefore, lockBefore, minCoinExpiry } = legs;
      const htlc: HtlcTerms = {
        form: config.bitcoin.htlcForm,
        hash,
        claimer: key.publicKey,
        refunder: request.refundKey.key,
        refundLocktime,
      };
      const vhtlc = vhtlcOf(context, operator, {
        sender: key.publicKey,
        receiver: request.claimKey.key,
        hash,
        refundLocktime: vhtlcRefundLocktime,
        clocks,
      });
      const terms: BitcoinArkadeTerms = {
        hash,
        sourceAmount: price.source,
        targetAmount: price.target,
        feeSats: price.fee,
        networkFeeSats: price.networkFee,
        htlc,
        htlcScript: htlcScript(htlc).pkScript,
        htlcAddress: htlcAddress(htlc, config.network),
        ...vhtlc,
        keyIndex: key.index,
        serverKey: key.publicKey,
        claimKeyText: request.claimKey.text,
        refundKeyText: request.refundKey.text,
        targetArkadeAddress: request.targetAddress,
        toleranceBps: config.terms.overpaymentToleranceBps,
        confirmations,
        htlcSince: clocks.bitcoin.height,
        fundBefore,
        giveBefore: lockBefore,
        lockBefore,
        minCoinExpiry,
        policy,
      };
      return { terms, progress: { at: 'pending', extras: [], vanished: false }, effects: [] };
    },
  });
  if (isRefusal(opened)) return opened;
  return recordOf(context, opened.row.id, bitcoinArkadeDirection);
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
  },
);
