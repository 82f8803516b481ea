import { isRefusal, PortFailure, refuse, type Refusal } from '../../../domain/errors.ts';
import { lockEnd, timelockPassed } from '../../../legs/evm/timelocks.ts';
import type { TakerClaim } from '../../../legs/evm/taker-acts.ts';
import { hash160OfSha256 } from '../../../legs/secret.ts';
import { judgeExchange } from '../../../quote/exchange.ts';
import { NotYet } from '../../not-yet.ts';
import { evmOf, exchangeOn, providerOf, takerAccountsOf } from '../../ports.ts';
import type { EffectOf } from '../act.ts';
import type { ProviderContext } from './context.ts';
import { exchanging, givenFor, isExchange } from '../evm/exchanging.ts';
import { signClaim, signFunding, signRefund } from '../evm/sign.ts';
import { approvedForPermit2 } from '../evm/taker-approval.ts';
import { tooLate } from '../late.ts';
import { preimageOf } from '../preimage.ts';
import { judgedOnceNoted } from '../shown-first.ts';

/**
 * Shows the provider our secret, for it to claim for us what it locked: judged by the chain in this very moment, unless
 * an earlier try may have shown it.
 */
export async function claimOnEvm(effect: EffectOf<'provider.claim-evm'>, context: ProviderContext): Promise<void> {
  const { ports, store, row, answer } = context;
  const isShown = store.intents.has('payment', row.subject);
  // Before anybody is asked: the chain and its exchange may say nothing any more (facts/faults.md 183).
  const late = isShown ? null : tooLate(effect.onlyIf, context.clock.now());
  if (late !== null) return answer({ is: 'provider.claim-withheld', reason: late });
  const claim = await payableBy(effect, context);
  if (isRefusal(claim))
    return answer(
      isShown
        ? { is: 'provider.declined', reason: claim.sentence }
        : { is: 'provider.claim-withheld', reason: claim.sentence, unpriced: true },
    );
  if (isShown && (await providerMayTakeBack(effect, context)))
    return answer({ is: 'provider.declined', reason: 'it may take its lock back by now' });
  const unsafe = isShown ? null : ((await context.judge.forbidden(effect.onlyIf, 0)) ?? (await noted(effect, context)));
  if (unsafe !== null) return answer({ is: 'provider.claim-withheld', reason: unsafe });
  const secret = preimageOf(hash160OfSha256(claim.lock.preimageHash), context);
  const signature = signClaim(effect, claim, secret, ports);
  const [, exchange = null] = claim.calls;
  const { destination } = claim;
  try {
    const sent = await providerOf(ports, effect.provider).claimOnEvm(effect.swapId, {
      secret,
      destination,
      signature,
      exchange,
    });
    answer(isRefusal(sent) ? { is: 'provider.declined', reason: sent.sentence } : { is: 'provider.relayed', ...sent });
  } catch (cause) {
    unanswered(cause, isShown, context);
  }
}

/**
 * What we give is the secret: no call that may have brought it is ever forgotten, by the rescue bundle neither
 * (facts/faults.md 187). Judged once more when it has that: nothing else is waited for before the secret leaves. Why it
 * may not; then nobody was asked.
 */
function noted({ onlyIf }: EffectOf<'provider.claim-evm'>, context: ProviderContext): Promise<string | null> {
  const { store, row, judge, bundled } = context;
  return judgedOnceNoted(() => judge.forbidden(onlyIf, 0), {
    make: () => store.intents.note('payment', row.subject, null),
    drop: () => store.intents.drop('payment', row.subject),
    bundled,
  });
}

/**
 * With its own lock back, or free to take it, a provider claims nothing for us any more: what an earlier call may not
 * have brought to it is not brought now (facts/faults.md 143).
 */
async function providerMayTakeBack(
  { network, contracts, claim: { lock } }: EffectOf<'provider.claim-evm'>,
  { ports, clock }: ProviderContext,
): Promise<boolean> {
  if (timelockPassed(lockEnd({ lock }), clock.now(), network)) return true;
  if (await evmOf(ports, network).isActive(contracts.htlc, lock)) return false;
  throw new NotYet(null, "the provider's lock does not stand: what became of it is looked at first");
}

/** Who was not reached has no secret of ours; who was, and says nothing, is not waited for. */
function unanswered(cause: unknown, isShown: boolean, { store, row, answer }: ProviderContext): void {
  if (!(cause instanceof PortFailure)) throw cause;
  if (isShown) return answer({ is: 'provider.declined', reason: cause.message });
  if (cause.retry !== 'safe') throw cause;
  store.intents.drop('payment', row.subject);
  answer({ is: 'provider.claim-withheld', reason: cause.message, unreached: true });
}

/** It may look at its own lock a moment later than we do. */
const waitsForProvider = 5;

/**
 * The claim as the provider will relay it: with its own least, which its relay goes by and which is never below ours,
 * and with the calls of our own exchange. A provider that calls another router would have our secret for nothing, so it
 * is not shown to it.
 */
async function payableBy(
  effect: EffectOf<'provider.claim-evm'>,
  { ports, row, evm }: ProviderContext,
): Promise<TakerClaim | Refusal> {
  const { claim, contracts, network, onlyIf, swapId } = effect;
  if (!isExchange(claim)) return claim;
  const bySingleSource = onlyIf.offer !== undefined && onlyIf.offer.value <= evm(network).singleSource;
  const where = { network, contracts, bySingleSource };
  const now = await exchanging(where, claim, ports);
  if (isRefusal(now)) return now;
  const offered = await providerOf(ports, effect.provider).redeemTerms(swapId, claim.destination);
  if (isRefusal(offered)) {
    if (row.attempts < waitsForProvider) throw new NotYet(null, offered.sentence);
    return offered;
  }
  const rules = exchangeOn(ports, network)?.rules;
  if (offered.least < claim.minAmountOut)
    return refuse('forbidden', `The provider pays ${offered.least} at least; ${claim.minAmountOut} were agreed.`);
  if (rules === undefined || offered.exchange === null || judgeExchange(offered.exchange, rules) !== null)
    return refuse('forbidden', 'The provider exchanges by another way than this node.');
  return exchanging(where, claim, ports, offered.least);
}

/** Asked twice it is locked once: the nonce of the permit is that of the swap. */
export async function fundOnEvm(effect: EffectOf<'provider.fund-evm'>, context: ProviderContext): Promise<void> {
  const { ports, answer } = context;
  const lacking = await approvedForPermit2(effect, context);
  if (lacking !== null) return answer({ is: 'evm.refused', purpose: 'taker-approve', reason: lacking });
  const { network, contracts, value } = effect;
  const bySingleSource = value <= context.evm(network).singleSource;
  const given = await givenFor({ network, contracts, bySingleSource }, effect.funding, ports);
  if (isRefusal(given)) return answer({ is: 'provider.declined', reason: given.sentence });
  const permit = await signFunding(effect, { ...effect.funding, bySingleSource }, given, ports);
  const sent = await providerOf(ports, effect.provider).fundOnEvm(effect.swapId, permit);
  answer(isRefusal(sent) ? { is: 'provider.declined', reason: sent.sentence } : { is: 'provider.relayed', ...sent });
}

/**
 * A refund that both sides sign. Of what the provider says only who will send it is used: a wrong one makes a signature
 * that is worth nothing.
 */
export async function refundOnEvm(effect: EffectOf<'provider.refund-evm'>, context: ProviderContext): Promise<void> {
  const { ports, answer } = context;
  const { lock, key, swapId } = effect;
  const provider = providerOf(ports, effect.provider);
  const caller = await provider.refundCaller(swapId);
  if (isRefusal(caller)) return answer({ is: 'provider.declined', reason: caller.sentence });
  const signature = signRefund(effect, { lock, caller, key }, ports);
  const depositor = takerAccountsOf(ports).accountOf(key);
  const sent = await provider.refundOnEvm(swapId, { depositor, signature });
  answer(isRefusal(sent) ? { is: 'provider.declined', reason: sent.sentence } : { is: 'provider.relayed', ...sent });
}
