import { isRefusal } from '../../../domain/errors.ts';
import type { Outpoint } from '../../../domain/outpoint.ts';
import { isPublicNonce } from '../../../legs/musig.ts';
import { htlcScript } from '../../../legs/onchain/htlc.ts';
import { type KeySpend, readKeySpend } from '../../../legs/onchain/key-spend.ts';
import { locktimeOf } from '../../../legs/onchain/locktime.ts';
import { preimageMatches } from '../../../legs/secret.ts';
import { hasCome } from '../../../legs/timelocks.ts';
import type { ClaimToSign } from '../../../taker/joint.ts';
import { NotYet } from '../../not-yet.ts';
import { bitcoinWalletOf, providerOf } from '../../ports.ts';
import type { EffectOf } from '../act.ts';
import { isClosed } from '../onchain/fence.ts';
import type { ProviderContext } from './context.ts';
import { answerInTime } from './patience.ts';

type SignClaim = EffectOf<'provider.sign-claim'>;

/** It says that it claims before it has what we sign, and waits for us no longer than seconds then. */
const mostTries = 15;
const pause = 2;

/**
 * The provider's claim of our coin, which we sign with it: its secret shows that the payee was paid, so that the coin
 * is the provider's. What is given is noted outside of the database, then the swap gives the coin up for good, and only
 * then is it signed, by a nonce that signs nothing else. Where the provider does not use it its script takes the coin.
 *
 * Loses money when wrong: a signature for a payment that was not made, or over another coin; a refund of ours beside
 * it, which nothing of ours may be by then.
 */
export async function signClaim(effect: SignClaim, context: ProviderContext): Promise<void> {
  const { provider, swapId, terms, coin, key } = effect;
  const { ports, row, clock } = context;
  const over = (reason: string): void => context.answer({ is: 'provider.claim-unsigned', reason });
  if (hasCome(locktimeOf(terms), clock.now())) return over('our refund opens by now');
  const port = providerOf(ports, provider);
  const claim = await answerInTime((signal) => port.claimToSign(swapId, signal));
  if (isRefusal(claim)) {
    if (row.attempts >= mostTries) return over(claim.sentence);
    throw new NotYet(pause, `the provider shows no claim to sign: ${claim.sentence}`);
  }
  const spend = spendOf(effect, claim);
  if (typeof spend === 'string') return over(spend);
  const elsewhere = give(coin, { claim, spend }, context);
  if (typeof elsewhere === 'string') return over(elsewhere);
  if (!(await elsewhere.noted)) return;
  try {
    const half = await bitcoinWalletOf(ports).cosignHtlc({ terms, key, spend, theirs: claim.publicNonce });
    if (half === null) return;
    const { shown: publicNonce, partial } = half;
    await answerInTime((signal) => port.signClaim(swapId, { publicNonce, partial }, signal));
  } catch {
    // The coin is given up, whatever the provider has of it: it claims by the script.
  }
}

/** What is signed, made of the transaction and of our coin as the chain showed it; a sentence where nothing is. */
function spendOf(
  { terms, coin, amount }: SignClaim,
  { preimage, publicNonce, transaction }: ClaimToSign,
): KeySpend | string {
  if (preimageMatches(terms.hash, preimage) === null) return 'the preimage of the provider is none of our invoice';
  if (!isPublicNonce(publicNonce)) return 'the provider’s nonce is invalid';
  // It takes that coin alone: what it would take beside it only the provider says.
  const prevouts = [{ script: htlcScript(terms).pkScript, amount }];
  const spend = readKeySpend(terms, { ...coin, amount }, { transaction, index: 0, prevouts });
  return typeof spend === 'string' ? `the claim of the provider is not signed: ${spend}` : spend;
}

/**
 * Without an await from the first look to the commit. A sentence: nothing is given up, and why. `noted`: whether every
 * place has it, before which nothing is signed.
 */
function give(
  coin: Outpoint,
  { claim: { preimage }, spend }: { readonly claim: ClaimToSign; readonly spend: KeySpend },
  { store: { partials }, row: { subject }, moves, answer }: ProviderContext,
): { readonly noted: Promise<boolean> } | string {
  const event = { purpose: 'claim', coin, preimage } as const;
  if (isClosed(partials, coin, 'claim')) return 'a refund of ours was signed';
  if (!moves({ is: 'cosign.asked', ...event })) return 'the swap gives nothing up as it stands';
  let noted: Promise<boolean>;
  try {
    noted = partials.note({ subject, coin, purpose: 'claim', own: false, ...spend, preimage });
  } catch {
    return 'it cannot be noted';
  }
  answer({ is: 'cosign.given', ...event, txid: spend.txid, bytes: spend.bytes });
  return { noted };
}
