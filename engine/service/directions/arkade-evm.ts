import type { ArkadeEvmRecord, CreateArkadeEvm } from '../../contract/directions/arkade-evm.ts';
import { evmNetwork } from '../../domain/chain.ts';
import { isRefusal, type Refusal } from '../../domain/errors.ts';
import { noSats, plus } from '../../domain/money.ts';
import { evmLockLegs } from '../../legs/evm/timelocks.ts';
import { hash160OfSha256 } from '../../legs/secret.ts';
import { gasOf } from '../../quote/gas.ts';
import type { DeveloperKey } from '../../store/developer-keys.ts';
import {
  arkadeEvm,
  viewArkadeEvm,
  type ArkadeEvmProgress,
  type ArkadeEvmTerms,
} from '../../swap/directions/arkade-evm.ts';
import { exposed } from '../limits/caps.ts';
import type { ServiceContext } from '../context.ts';
import { openSwap } from '../create/create.ts';
import { stopped } from '../limits/limits.ts';
import { marketOf } from '../market/market-of.ts';
import { claimOf } from '../lock/claim.ts';
import { lockReserve, pricedLock, targetTerms } from '../lock/opening.ts';
import { recordOf } from '../record.ts';
import { clientsVhtlc, operatorNow } from '../create/vhtlc.ts';
import { onChain } from './direction.ts';
import { directionOf } from './entry.ts';

/** Opens the swap: priced and judged, with the lock that we are to make pinned to the last byte. */
async function createArkadeEvm(
  context: ServiceContext,
  request: CreateArkadeEvm,
  developer: DeveloperKey | null,
): Promise<ArkadeEvmRecord | Refusal> {
  const { policy } = context;
  const network = evmNetwork(request.evmChainId);
  const direction = onChain(arkadeEvmDirection, network);
  const market = marketOf(context, network);
  if (isRefusal(market)) return market;
  const closed = stopped(context, direction);
  if (closed !== null) return closed;
  const operator = operatorNow(context);
  if (isRefusal(operator)) return operator;
  const lock = await pricedLock(context, direction, { market, request, developer });
  if (isRefusal(lock)) return lock;
  const { price } = lock;

  const hash = hash160OfSha256(request.hash);
  const opened = await openSwap<ArkadeEvmTerms, ArkadeEvmProgress>(context, direction, {
    machine: arkadeEvm,
    hash,
    hashOf: 'preimage',
    request,
    price,
    reserve: [lockReserve(lock)],
    build(key, clocks) {
      const legs = evmLockLegs({ clocks, network, policy });
      if (isRefusal(legs)) return legs;
      const { refundLocktime, fundBefore, minCoinExpiry } = legs;
      const terms: ArkadeEvmTerms = {
        ...targetTerms(context, request, lock, legs, clocks),
        feeSats: price.fee,
        networkFeeSats: price.networkFee,
        ...clientsVhtlc(context, operator, { refundKey: request.refundKey, key, hash, refundLocktime, clocks }),
        fundBefore,
        minCoinExpiry,
        policy,
      };
      return { terms, progress: { at: 'pending', fenced: false }, effects: [] };
    },
  });
  return isRefusal(opened) ? opened : recordOf(context, opened.row.id, direction);
}

/**
 * The client locks on Arkade, we lock on an EVM chain, and the secret that the client's claim there shows claims its
 * lock.
 */
export const arkadeEvmDirection = directionOf<'arkade-evm', ArkadeEvmTerms, ArkadeEvmProgress>(arkadeEvm, {
  name: 'arkade-evm',
  source: 'Arkade',
  target: 'evm',
  needs: ['arkade', 'evm', 'bitcoin'],
  locksOn: 'evm',
  unpaidOn: ['evm'],
  exposedOn: ['evm', 'arkade'],
  costs({ gas }) {
    const relay = gas(gasOf.relayClaim);
    const lock = gas(gasOf.lock);
    return { source: noSats, target: plus(lock, relay), flat: noSats, relay, exit: plus(lock, gas(gasOf.refund)) };
  },
  liquidity: ({ networks }, evm) => (evm === null ? noSats : networks.evmFree(evm)),
  atOperator: (status) => exposed.has(status),
  bringsToOperator: true,
  create: createArkadeEvm,
  view: viewArkadeEvm,
  vhtlc: (terms) => ({
    terms: terms.vhtlc,
    script: terms.script,
    byClient: { keyIndex: terms.keyIndex, latePayment: null },
  }),
  claim: claimOf,
  chainOf: (t) => t.network,
});
