import type { CreateEvmArkade, EvmArkadeRecord } from '../../contract/directions/evm-arkade.ts';
import { evmNetwork } from '../../domain/chain.ts';
import { isRefusal, type Refusal } from '../../domain/errors.ts';
import { noSats, plus } from '../../domain/money.ts';
import { legsForLock } from '../../legs/onchain/timelocks.ts';
import { hash160OfSha256 } from '../../legs/secret.ts';
import { coinLife, coinsUntil } from '../../legs/timelocks.ts';
import { gasOf } from '../../quote/gas.ts';
import type { DeveloperKey } from '../../store/developer-keys.ts';
import {
  evmArkade,
  viewEvmArkade,
  type EvmArkadeProgress,
  type EvmArkadeTerms,
} from '../../swap/directions/evm-arkade.ts';
import type { ServiceContext } from '../context.ts';
import { openSwap } from '../create/create.ts';
import { answered, chainOf, pricedDeposit, sourceTerms, waiting } from '../deposit/opening.ts';
import { depositState } from '../deposit/swap-deposit.ts';
import { stopped, tooMuch } from '../limits/limits.ts';
import { marketOf } from '../market/market-of.ts';
import { aboveSingleSource } from '../limits/single-source.ts';
import { recordOf } from '../record.ts';
import { belowDust, wrongTargetAddress } from '../create/target-address.ts';
import { isLockedAway, operatorNow, ourVhtlc } from '../create/vhtlc.ts';
import { onChain } from './direction.ts';
import { directionOf } from './entry.ts';

/** Opens the swap: what the client locks, and the VHTLC that we are to lock against it, to the last byte. */
async function create(
  context: ServiceContext,
  request: CreateEvmArkade,
  developer: DeveloperKey | null,
): Promise<EvmArkadeRecord | Refusal> {
  const { policy } = context;
  const chain = chainOf(context, request);
  if (isRefusal(chain)) return chain;
  const network = evmNetwork(request.evmChainId);
  const direction = onChain(evmArkadeDirection, network);
  const closed = stopped(context, direction);
  if (closed !== null) return closed;
  const market = marketOf(context, network);
  if (isRefusal(market)) return market;
  const operator = operatorNow(context);
  if (isRefusal(operator)) return operator;
  const astray = wrongTargetAddress(context, operator, request.targetAddress, 'target_address');
  if (astray !== null) return astray;

  const priced = await pricedDeposit(context, direction, market, request, developer);
  if (isRefusal(priced)) return priced;
  const { price } = priced;
  const refused =
    tooMuch(context, direction, price) ??
    belowDust(operator, price.target) ??
    aboveSingleSource(context, network, price.source);
  if (refused !== null) return refused;

  const hash = hash160OfSha256(request.hash);
  const opened = await openSwap<EvmArkadeTerms, EvmArkadeProgress>(context, direction, {
    machine: evmArkade,
    hash,
    hashOf: 'preimage',
    request,
    price,
    reserve: [{ network: 'arkade', amount: price.target }],
    build(key, clocks) {
      const legs = legsForLock({ clocks, network, policy });
      if (isRefusal(legs)) return legs;
      const { timelock, htlcRefundLocktime: refundLocktime, fundBefore, payBefore, lockBefore } = legs;
      const sourcePinned = request.amount.pinned === 'source';
      const source = sourceTerms(
        context,
        { chain, market, request, hash: request.hash, priced, sourcePinned, timelock, fundBefore, payBefore },
        clocks,
      );
      if (isRefusal(source)) return source;
      const terms: EvmArkadeTerms = {
        ...source,
        feeSats: price.fee,
        networkFeeSats: price.networkFee,
        targetAmount: price.target,
        ...ourVhtlc(context, operator, { request, key, hash, refundLocktime, clocks }),
        clientKeyText: request.claimKey.text,
        lockBefore,
        minCoinExpiry: coinsUntil(refundLocktime, policy),
      };
      return { terms, progress: waiting, effects: [] };
    },
  });
  return isRefusal(opened) ? opened : recordOf(context, opened.row.id, evmArkadeDirection);
}

/**
 * The client locks on an EVM chain, we lock on Arkade, and the secret that its claim there shows claims the lock.
 */
export const evmArkadeDirection = directionOf<'evm-arkade', EvmArkadeTerms, EvmArkadeProgress>(evmArkade, {
  name: 'evm-arkade',
  source: 'evm',
  target: 'Arkade',
  needs: ['arkade', 'bitcoin', 'evm'],
  locksOn: 'arkade',
  unpaidOn: ['evm', 'arkade'],
  exposedOn: ['arkade', 'evm'],
  // Moving coins on Arkade costs nothing.
  costs({ gas }) {
    const relay = gas(gasOf.relayFund);
    const claim = gas(gasOf.claim);
    const exit = plus(claim, gas(gasOf.relayRefund));
    return { source: plus(claim, relay), target: noSats, flat: noSats, relay, exit };
  },
  liquidity: ({ networks, policy }) => networks.arkadeLockable(coinLife(policy)),
  atOperator: isLockedAway,
  bringsToOperator: false,
  create: (context, request, developer) => answered(request, () => create(context, request, developer)),
  view: viewEvmArkade,
  vhtlc: (terms) => ({ terms: terms.vhtlc, script: terms.script }),
  chainOf: ({ network }) => network,
  deposit: (terms, progress) => depositState(terms, progress, null),
});
