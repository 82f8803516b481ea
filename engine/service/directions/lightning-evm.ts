import type { CreateLightningEvm, LightningEvmRecord } from '../../contract/directions/lightning-evm.ts';
import { evmNetwork } from '../../domain/chain.ts';
import { isRefusal, type Refusal } from '../../domain/errors.ts';
import { lesser, noSats, plus } from '../../domain/money.ts';
import { holdLockLegs } from '../../legs/lightning/timelocks.ts';
import { hash160OfSha256 } from '../../legs/secret.ts';
import { gasOf } from '../../quote/gas.ts';
import type { DeveloperKey } from '../../store/developer-keys.ts';
import {
  lightningEvm,
  viewLightningEvm,
  type LightningEvmProgress,
  type LightningEvmTerms,
} from '../../swap/directions/lightning-evm.ts';
import { openingEffects } from '../../swap/halves/lightning/hold/waiting.ts';
import type { ServiceContext } from '../context.ts';
import { openSwap } from '../create/create.ts';
import { answeredByInvoice } from '../create/hold-invoice.ts';
import { createPatience } from '../create/patience.ts';
import { stopped } from '../limits/limits.ts';
import { marketOf } from '../market/market-of.ts';
import { claimOf } from '../lock/claim.ts';
import { lockReserve, pricedLock, targetTerms } from '../lock/opening.ts';
import { strangersInvoice } from '../create/strangers.ts';
import { onChain } from './direction.ts';
import { directionOf } from './entry.ts';

/**
 * Opens the swap with the lock that we are to make pinned to the last byte, waits for its hold invoice, and answers the
 * record.
 */
async function createLightningEvm(
  context: ServiceContext,
  request: CreateLightningEvm,
  developer: DeveloperKey | null,
): Promise<LightningEvmRecord | Refusal> {
  const left = createPatience(context);
  const network = evmNetwork(request.evmChainId);
  const direction = onChain(lightningEvmDirection, network);
  const market = marketOf(context, network);
  if (isRefusal(market)) return market;
  const closed = stopped(context, direction);
  if (closed !== null) return closed;
  const lock = await pricedLock(context, direction, { market, request, developer });
  if (isRefusal(lock)) return lock;
  const { price, token } = lock;

  const strangers = await strangersInvoice(context, request.hash, left);
  if (strangers !== null) return strangers;
  const { policy } = context;
  const opened = await openSwap<LightningEvmTerms, LightningEvmProgress>(context, direction, {
    machine: lightningEvm,
    hash: hash160OfSha256(request.hash),
    hashOf: 'preimage',
    request,
    price,
    reserve: [lockReserve(lock), { network: 'lightning-in', amount: price.source }],
    build(_, clocks) {
      const legs = holdLockLegs({ clocks, network, policy });
      if (isRefusal(legs)) return legs;
      const { fundBefore, cltvDelta, back } = legs;
      const terms: LightningEvmTerms = {
        ...targetTerms(context, request, lock, legs, clocks),
        feeSats: price.fee,
        networkFeeSats: price.networkFee,
        description: request.description ?? `Swap to ${token.symbol}`,
        fundBefore,
        cltvDelta,
        back,
        policy,
      };
      return { terms, progress: { at: 'opening' }, effects: openingEffects(terms) };
    },
  });
  return isRefusal(opened) ? opened : answeredByInvoice(context, opened.row.id, direction, left);
}

/**
 * The client pays a held invoice, we lock on an EVM chain, and the secret that the client's claim there shows settles
 * the payment.
 */
export const lightningEvmDirection = directionOf<'lightning-evm', LightningEvmTerms, LightningEvmProgress>(
  lightningEvm,
  {
    name: 'lightning-evm',
    source: 'Lightning',
    target: 'evm',
    needs: ['lightning', 'evm', 'bitcoin'],
    locksOn: 'evm',
    unpaidOn: ['evm'],
    exposedOn: ['evm', 'lightning'],
    costs({ gas }) {
      const relay = gas(gasOf.relayClaim);
      const lock = gas(gasOf.lock);
      return { source: noSats, target: plus(lock, relay), flat: noSats, relay, exit: plus(lock, gas(gasOf.refund)) };
    },
    liquidity: ({ networks }, evm) => (evm === null ? noSats : lesser(networks.evmFree(evm), networks.inboundFree())),
    atOperator: () => false,
    bringsToOperator: false,
    create: createLightningEvm,
    view(facts, terms, progress) {
      const { at } = progress;
      return at === 'opening' || at === 'unopened' ? null : viewLightningEvm(facts, terms, progress);
    },
    vhtlc: () => null,
    claim: claimOf,
    chainOf: (t) => t.network,
  },
);
