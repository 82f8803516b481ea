import type { TakeArkadeLightningProgress } from './arkade-lightning.ts';
import type { TakeLightningArkadeProgress } from './lightning-arkade.ts';
import { momentText } from './moment.ts';
import { lockerIsOut, payerIsOut } from './out.ts';
import type { Deal } from './terms.ts';

/* Who is waiting for whom, until when, and why the owner's money is safe meanwhile. */

type L = TakeLightningArkadeProgress;
type A = TakeArkadeLightningProgress;

export function lightningArkadeSentence(p: L): string {
  switch (p.at) {
    case 'creating':
      return 'The provider is asked for an invoice. Nothing was paid yet.';
    case 'refused':
      return `No swap was made: ${p.reason}`;
    case 'waiting':
      return unlockedSentence(p);
    case 'claiming':
      return `The provider has locked ${p.deal.targetAmount} sats for you, and this node is claiming them. It must be done before ${momentText(p.deal.vhtlc.refundLocktime)}; keep the node running.`;
    case 'claimed':
      return `Done: ${p.deal.targetAmount} sats are in your Arkade wallet.`;
    case 'ended':
      return `The swap ended without a claim: ${p.reason.replace(/\.$/, '')}. Your secret never left this node, so a payment that was made goes back to whoever paid it.`;
    case 'lost':
      return 'The provider took its coins back while this node claimed them. If the invoice shows as paid, the provider owes you the payment: keep this record.';
  }
}

function unlockedSentence(p: L & { at: 'waiting' }): string {
  const { deal, said, why } = p;
  const safety = `Your money is safe: without the coins on Arkade your secret stays here, and the payment goes back to the payer by itself.`;
  if (why !== null) return `The provider's coins cannot be claimed safely: ${why} ${safety}`;
  if (said === 'pending')
    return `The provider waits for the invoice to be paid, until ${momentText(deal.invoiceExpiresAt)}. Whoever pays it gets the payment back unless the coins arrive here first.`;
  if (lockerIsOut.has(said)) return `The provider does not go on with this swap. ${safety}`;
  return `The payment is held, and you wait for the provider to lock ${deal.targetAmount} sats on Arkade, until ${momentText(deal.vhtlc.refundLocktime)} at the latest. ${safety}`;
}

export function arkadeLightningSentence(p: A): string {
  switch (p.at) {
    case 'creating':
      return 'The provider is asked for an address. Nothing was paid yet.';
    case 'refused':
      return `No swap was made: ${p.reason}`;
    case 'waiting':
      return unfundedSentence(p);
    case 'funded':
      return fundedSentence(p);
    case 'asking':
      return `This node asks the provider to sign the refund. ${refundable(p)}`;
    case 'refunding':
      return 'This node is taking your coins back into your Arkade wallet.';
    case 'done':
      return p.proof === null
        ? 'Your coins are back in your Arkade wallet.'
        : `Done: the invoice over ${p.deal.targetAmount} sats is paid, and this node holds the proof.`;
    case 'lapsed':
      return 'The swap ended: nothing was sent. Do not send anything to its address any more.';
  }
}

function refundable({ deal }: { readonly deal: Deal }): string {
  return `Your coins are safe: this node takes them back without anybody's help after ${momentText(deal.vhtlc.refundLocktime)}, keep it running then.`;
}

function unfundedSentence({ deal, said }: A & { at: 'waiting' }): string {
  if (said === 'expired')
    return 'The provider does not wait for this swap any more. Do not send anything to its address; what was sent all the same comes back.';
  return `The provider waits for ${deal.sourceAmount} sats at its address and then pays the invoice, which expires on ${momentText(deal.invoiceExpiresAt)}. ${refundable({ deal })}`;
}

function fundedSentence(p: A & { at: 'funded' }): string {
  if (p.proof !== null)
    return `The invoice is paid. More coins than needed lie at the address, and this node asks for them back. ${refundable(p)}`;
  if (p.declined !== null) return `A refund did not work yet: ${p.declined.replace(/\.$/, '')}. ${refundable(p)}`;
  if (payerIsOut.has(p.said))
    return `The provider will not pay the invoice, and this node asks it to sign your refund. ${refundable(p)}`;
  return `Your coins arrived, and you wait for the provider to pay the invoice. ${refundable(p)}`;
}
