import type { BitcoinEvmRecord, CreateBitcoinEvm } from '../../contract/directions/bitcoin-evm.ts';
import { evmNetwork } from '../../domain/chain.ts';
import { isRefusal, type Refusal } from '../../domain/errors.ts';
import { noSats, plus } from '../../domain/money.ts';
import type { HtlcTerms } from '../../legs/onchain/htlc.ts';
import { coinLockLegs } from '../../legs/onchain/timelocks.ts';
import { hash160OfSha256 } from '../../legs/secret.ts';
import { bytesOf, gasOf } from '../../quote/gas.ts';
import type { DeveloperKey } from '../../store/developer-keys.ts';
import {
  bitcoinEvm,
  viewBitcoinEvm,
  type BitcoinEvmProgress,
  type BitcoinEvmTerms,
} from '../../swap/directions/bitcoin-evm.ts';
import type { ServiceContext } from '../context.ts';
import { openSwap } from '../create/create.ts';
import { fundingConfirmations } from '../limits/funding-confirmations.ts';
import { coinTerms } from '../htlc/opening.ts';
import { stopped } from '../limits/limits.ts';
import { marketOf } from '../market/market-of.ts';
import { claimOf } from '../lock/claim.ts';
import { lockReserve, pricedLock, targetTerms } from '../lock/opening.ts';
import { recordOf } from '../record.ts';
import { onChain } from './direction.ts';
import { directionOf } from './entry.ts';

/** Opens the swap: priced and judged, with the lock that we are to make pinned to the last byte. */
async function createBitcoinEvm(
  context: ServiceContext,
  request: CreateBitcoinEvm,
  developer: DeveloperKey | null,
): Promise<BitcoinEvmRecord | Refusal> {
  const { policy, config } = context;
  const network = evmNetwork(request.evmChainId);
  const direction = onChain(bitcoinEvmDirection, network);
  const market = marketOf(context, network);
  if (isRefusal(market)) return market;
  const closed = stopped(context, direction);
  if (closed !== null) return closed;
  const lock = await pricedLock(context, direction, { market, request, developer });
  if (isRefusal(lock)) return lock;
  const { price } = lock;

  const hash = hash160OfSha256(request.hash);
  const confirmations = fundingConfirmations(config, price.source);
  const opened = await openSwap<BitcoinEvmTerms, BitcoinEvmProgress>(context, direction, {
    machine: bitcoinEvm,
    hash,
    hashOf: 'preimage',
    request,
    price,
    reserve: [lockReserve(lock)],
    build(key, clocks) {
      const legs = coinLockLegs({ clocks, network, policy, confirmations });
      if (isRefusal(legs)) return legs;
      const { refundLocktime, fundBefore, giveBefore } = legs;
      // Published clients refund no other form (facts/clients.md 48).
      const htlc: HtlcTerms = {
        form: 'p2tr',
        hash,
        claimer: key.publicKey,
        refunder: request.refundKey.key,
        refundLocktime,
      };
      const terms: BitcoinEvmTerms = {
        ...targetTerms(context, request, lock, legs, clocks),
        feeSats: price.fee,
        networkFeeSats: price.networkFee,
        ...coinTerms(context, htlc, { keyIndex: key.index, confirmations, clocks }),
        fundBefore,
        giveBefore,
        policy,
      };
      return { terms, progress: { at: 'pending', extras: [], vanished: false }, effects: [] };
    },
  });
  return isRefusal(opened) ? opened : recordOf(context, opened.row.id, direction);
}

/**
 * The client pays an HTLC on the Bitcoin chain, we lock on an EVM chain, and the secret that the client's claim there
 * shows claims the bitcoin.
 */
export const bitcoinEvmDirection = directionOf<'bitcoin-evm', BitcoinEvmTerms, BitcoinEvmProgress>(bitcoinEvm, {
  name: 'bitcoin-evm',
  source: 'Bitcoin',
  target: 'evm',
  needs: ['bitcoin', 'evm'],
  locksOn: 'evm',
  unpaidOn: ['evm'],
  exposedOn: ['evm', 'bitcoin'],
  costs({ gas, bytes }) {
    const relay = gas(gasOf.relayClaim);
    const lock = gas(gasOf.lock);
    const claim = bytes(bytesOf.claim);
    const exit = plus(plus(claim, lock), gas(gasOf.refund));
    return { source: claim, target: plus(lock, relay), flat: noSats, relay, exit };
  },
  // Without a wallet there is nowhere for the bitcoin to go.
  liquidity: ({ networks }, evm) =>
    evm === null || networks.bitcoinWallet().state === 'absent' ? noSats : networks.evmFree(evm),
  atOperator: () => false,
  bringsToOperator: false,
  create: createBitcoinEvm,
  view: viewBitcoinEvm,
  vhtlc: () => null,
  claim: claimOf,
  chainOf: (t) => t.network,
});
