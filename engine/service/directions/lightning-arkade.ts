import type { LightningArkadeRecord } from '../../contract/directions/lightning-arkade.ts';
import type { CreateLightningArkade } from '../../contract/directions/lightning-arkade.ts';
import { isRefusal, refuse, type Refusal } from '../../domain/errors.ts';
import { lesser, noSats } from '../../domain/money.ts';
import { hash160OfSha256 } from '../../legs/secret.ts';
import { holdLeg } from '../../legs/lightning/timelocks.ts';
import { coinLife } from '../../legs/timelocks.ts';
import { priceFromPinned } from '../../quote/fees.ts';
import { flatCost } from '../../quote/gas.ts';
import type { DeveloperKey } from '../../store/developer-keys.ts';
import { lightningArkade } from '../../swap/directions/lightning-arkade/machine.ts';
import { openingEffects } from '../../swap/halves/lightning/hold/waiting.ts';
import type { LightningArkadeProgress, LightningArkadeTerms } from '../../swap/directions/lightning-arkade/terms.ts';
import { viewLightningArkade } from '../../swap/directions/lightning-arkade/view.ts';
import type { ServiceContext } from '../context.ts';
import { openSwap } from '../create.ts';
import { answeredByInvoice } from '../hold-invoice.ts';
import { notNow, stopped, tooMuch } from '../limits.ts';
import { belowDust, wrongTargetAddress } from '../target-address.ts';
import { isLockedAway, vhtlcOf } from '../vhtlc.ts';
import { rateOf } from '../rate.ts';
import { strangersInvoice } from '../strangers.ts';
import { directionOf } from './entry.ts';

/**
 * Opens the swap, waits for its hold invoice, and answers the record; a create that was not answered leaves no trace.
 */
async function createLightningArkade(
  context: ServiceContext,
  request: CreateLightningArkade,
  developer: DeveloperKey | null,
): Promise<LightningArkadeRecord | Refusal> {
  const { networks, policy } = context;
  const closed = stopped(context, lightningArkadeDirection);
  if (closed !== null) return closed;
  const arkade = networks.arkade();
  if (arkade.state !== 'connected')
    return refuse('unavailable', 'The Arkade operator does not answer now: try again later.');
  const operator = arkade.facts.info;

  const astray = wrongTargetAddress(context, operator, request.targetAddress);
  if (astray !== null) return astray;

  const rate = rateOf(context, lightningArkadeDirection, request, developer);
  if (isRefusal(rate)) return rate;
  const price = priceFromPinned(request.amount, rate);
  const refused = tooMuch(context, lightningArkadeDirection, price) ?? belowDust(operator, price.target);
  if (refused !== null) return refused;

  const strangers = await strangersInvoice(context, request.hash);
  if (strangers !== null) return strangers;
  const hash = hash160OfSha256(request.hash);
  const opened = await openSwap<LightningArkadeTerms, LightningArkadeProgress>(context, {
    machine: lightningArkade,
    hash,
    hashOf: 'preimage',
    userId: request.userId,
    value: price.target,
    // How many more asked while the Lightning node was asked is looked at again.
    refused: () => notNow(context) ?? tooMuch(context, lightningArkadeDirection, price),
    reserve: [
      { network: 'arkade', amount: price.target },
      { network: 'lightning-in', amount: price.source },
    ],
    build(key, clocks) {
      const leg = holdLeg({ clocks, policy });
      if (isRefusal(leg)) return leg;
      const vhtlc = vhtlcOf(context, operator, {
        sender: key.publicKey,
        receiver: request.claimKey.key,
        hash,
        refundLocktime: leg.vhtlcRefundLocktime,
        clocks,
      });
      const terms: LightningArkadeTerms = {
        hash: request.hash,
        sourceAmount: price.source,
        targetAmount: price.target,
        feeSats: price.fee,
        networkFeeSats: price.networkFee,
        ...vhtlc,
        keyIndex: key.index,
        serverKey: key.publicKey,
        clientKeyText: request.claimKey.text,
        targetArkadeAddress: request.targetAddress,
        description: request.description ?? `Swap ${price.target} sats to Arkade`,
        fundBefore: leg.fundBefore,
        cltvDelta: leg.cltvDelta,
        lockBefore: leg.lockBefore,
        minCoinExpiry: leg.minCoinExpiry,
        policy,
      };
      return { terms, progress: { at: 'opening' }, effects: openingEffects(terms) };
    },
  });
  if (isRefusal(opened)) return opened;

  return answeredByInvoice(context, opened.row.id, lightningArkadeDirection);
}

/** The client pays a held invoice, we lock on Arkade, and the secret that its claim shows settles the payment. */
export const lightningArkadeDirection = directionOf<'lightning-arkade', LightningArkadeTerms, LightningArkadeProgress>(
  lightningArkade,
  {
    name: 'lightning-arkade',
    source: 'Lightning',
    target: 'Arkade',
    needs: ['arkade', 'lightning', 'bitcoin'],
    locksOn: 'arkade',
    unpaidOn: ['arkade'],
    exposedOn: ['arkade', 'lightning'],
    // Holding an invoice and moving coins on Arkade cost nothing.
    costs: () => flatCost(noSats),
    liquidity: ({ networks, policy }) => lesser(networks.arkadeLockable(coinLife(policy)), networks.inboundFree()),
    atOperator: isLockedAway,
    bringsToOperator: false,
    create: createLightningArkade,
    view(facts, terms, progress) {
      const { at } = progress;
      return at === 'opening' || at === 'unopened' ? null : viewLightningArkade(facts, terms, progress);
    },
    vhtlc: (terms) => ({ terms: terms.vhtlc, script: terms.script }),
  },
);
