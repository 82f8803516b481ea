import type { ServerClaim } from '../../api/service.ts';
import { isRefusal, refuse, type Refusal } from '../../domain/errors.ts';
import type { TheirPartial } from '../../legs/onchain/wallet-port.ts';
import type { ServiceContext } from '../context.ts';

/*
 * Our claim of a client's coin, which its client may sign with us (`runtime/networks/onchain/joint-claims.ts`). Nothing
 * is given by it that anybody could use: of ours only a public nonce is shown, and the secret that our payment brought.
 */

const nothingAsked = refuse(
  'forbidden',
  'No claim of the service waits for the client to sign it: it is not asked for yet, or goes by the script.',
);

export function serverClaim({ runtime, directions }: ServiceContext, id: string): ServerClaim | Refusal {
  const entry = runtime.workingSet.find(id);
  if (entry === null) return refuse('unknown-swap', 'Swap not found: check the id.');
  const htlc = directions.of(entry.row.machine)?.htlc(entry.row) ?? null;
  const open = htlc?.terms.provider === 'claimer' ? runtime.jointClaims.shown(id) : null;
  const preimage = open === null || htlc === null ? null : runtime.store.preimages.find(htlc.terms.hash);
  if (open === null || htlc === null || preimage === null) return nothingAsked;
  const { publicNonce, spend } = open;
  return { preimage, publicNonce, key: htlc.terms.claimer, transaction: spend.bytes, sighash: spend.sighash };
}

/** What speaks against signing it before the request itself is looked at. */
export function serverClaimStanding(context: ServiceContext, id: string): Refusal | null {
  const claim = serverClaim(context, id);
  return isRefusal(claim) ? claim : null;
}

/** What is wrong costs nothing: the claim by the script goes on, and a part that fits is taken as before. */
export function signServerClaim(context: ServiceContext, id: string, theirs: TheirPartial): null | Refusal {
  const claim = serverClaim(context, id);
  if (isRefusal(claim)) return claim;
  const { runtime } = context;
  switch (runtime.jointClaims.give(id, theirs)) {
    case 'closed':
      return nothingAsked;
    case 'wrong':
      return refuse(
        'invalid',
        'The partial signature is not valid for the claim: sign the current request with the refund key.',
      );
    case 'taken':
      runtime.outbox.wake(id);
      return null;
  }
}
