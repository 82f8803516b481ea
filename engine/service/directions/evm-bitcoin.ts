import type { CreateEvmBitcoin } from '../../contract/directions/evm-bitcoin.ts';
import type { Records } from '../../contract/directions/directions.ts';
import { evmNetwork } from '../../domain/chain.ts';
import { isRefusal, type Refusal } from '../../domain/errors.ts';
import { noSats, plus } from '../../domain/money.ts';
import type { TimeHtlcTerms } from '../../legs/onchain/htlc.ts';
import { legsForLock } from '../../legs/onchain/timelocks.ts';
import { hash160OfSha256 } from '../../legs/secret.ts';
import { bytesOf, gasOf } from '../../quote/gas.ts';
import type { DeveloperKey } from '../../store/developer-keys.ts';
import {
  evmBitcoin,
  viewEvmBitcoin,
  type EvmBitcoinProgress,
  type EvmBitcoinTerms,
} from '../../swap/directions/evm-bitcoin.ts';
import type { ServiceContext } from '../context.ts';
import { openSwap } from '../create/create.ts';
import { depositState } from '../deposit/swap-deposit.ts';
import { answered, chainOf, pricedDeposit, sourceTerms, waiting } from '../deposit/opening.ts';
import { fundLiquidity, fundReserve, fundTerms, wrongTarget } from '../htlc/opening.ts';
import { stopped, tooMuch } from '../limits/limits.ts';
import { marketOf } from '../market/market-of.ts';
import { aboveSingleSource } from '../limits/single-source.ts';
import { recordOf } from '../record.ts';
import { onChain } from './direction.ts';
import { directionOf } from './entry.ts';

/** Opens the swap: what the client locks, and the HTLC that we are to fund against it, to the last byte. */
async function create(
  context: ServiceContext,
  request: CreateEvmBitcoin,
  developer: DeveloperKey | null,
): Promise<Records['evm-bitcoin'] | Refusal> {
  const { policy } = context;
  const chain = chainOf(context, request);
  if (isRefusal(chain)) return chain;
  const astray = wrongTarget(context, request);
  if (astray !== null) return astray;
  const network = evmNetwork(request.evmChainId);
  const direction = onChain(evmBitcoinDirection, network);
  const closed = stopped(context, direction);
  if (closed !== null) return closed;
  const market = marketOf(context, network);
  if (isRefusal(market)) return market;

  const priced = await pricedDeposit(context, direction, market, request, developer);
  if (isRefusal(priced)) return priced;
  const { price } = priced;
  const refused = tooMuch(context, direction, price) ?? aboveSingleSource(context, network, price.source);
  if (refused !== null) return refused;

  const hash = hash160OfSha256(request.hash);
  const opened = await openSwap<EvmBitcoinTerms, EvmBitcoinProgress>(context, direction, {
    machine: evmBitcoin,
    hash,
    hashOf: 'preimage',
    request,
    price,
    reserve: [fundReserve(context, price.target)],
    build(key, clocks) {
      const legs = legsForLock({ clocks, network, policy });
      if (isRefusal(legs)) return legs;
      const { timelock, htlcRefundLocktime, fundBefore, payBefore, lockBefore } = legs;
      const source = sourceTerms(
        context,
        {
          chain,
          market,
          request,
          hash: request.hash,
          priced,
          sourcePinned: request.amount.pinned === 'source',
          timelock,
          fundBefore,
          payBefore,
        },
        clocks,
      );
      if (isRefusal(source)) return source;
      const htlc: TimeHtlcTerms = {
        form: 'p2tr',
        hash,
        claimer: request.claimKey.key,
        refunder: key.publicKey,
        refundLocktime: htlcRefundLocktime,
      };
      const { targetAddress } = request;
      const terms: EvmBitcoinTerms = {
        ...source,
        ...fundTerms(context, htlc, { price, keyIndex: key.index, lockBefore, targetAddress, clocks }),
        feeSats: price.fee,
        networkFeeSats: price.networkFee,
        policy,
      };
      return { terms, progress: waiting, effects: [] };
    },
  });
  return isRefusal(opened) ? opened : recordOf(context, opened.row.id, evmBitcoinDirection);
}

/**
 * The client locks on an EVM chain, we fund an HTLC on the Bitcoin chain, and the secret that its claim shows claims
 * the lock.
 */
export const evmBitcoinDirection = directionOf<'evm-bitcoin', EvmBitcoinTerms, EvmBitcoinProgress>(evmBitcoin, {
  name: 'evm-bitcoin',
  source: 'evm',
  target: 'Bitcoin',
  needs: ['bitcoin', 'evm'],
  locksOn: 'bitcoin',
  unpaidOn: ['evm', 'bitcoin'],
  exposedOn: ['bitcoin', 'evm'],
  costs({ gas, bytes }) {
    const relay = gas(gasOf.relayFund);
    const claim = gas(gasOf.claim);
    const fund = bytes(bytesOf.fund);
    const back = plus(bytes(bytesOf.refund), gas(gasOf.relayRefund));
    return { source: plus(claim, relay), target: fund, flat: noSats, relay, exit: plus(plus(claim, fund), back) };
  },
  liquidity: ({ networks }) => fundLiquidity(networks),
  atOperator: () => false,
  bringsToOperator: false,
  create: (context, request, developer) => answered(request, () => create(context, request, developer)),
  view: viewEvmBitcoin,
  vhtlc: () => null,
  chainOf: ({ network }) => network,
  deposit: (terms, progress) => depositState(terms, progress, null),
});
