import { momentText } from '../moment.ts';
import { lockerIsOut, type TakeLightningArkadeProgress } from './terms.ts';

/* Who is waiting for whom, until when, and why the owner's money is safe meanwhile. */

type P = TakeLightningArkadeProgress;

export function lightningArkadeSentence(p: P): string {
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

function unlockedSentence(p: P & { at: 'waiting' }): string {
  const { deal, said: status, why } = p;
  const safety = `Your money is safe: without the coins on Arkade your secret stays here, and the payment goes back to the payer by itself.`;
  if (why !== null) return `The provider's coins cannot be claimed safely: ${why} ${safety}`;
  if (status === 'pending')
    return `The provider waits for the invoice to be paid, until ${momentText(deal.invoiceExpiresAt)}. Whoever pays it gets the payment back unless the coins arrive here first.`;
  if (lockerIsOut.has(status)) return `The provider does not go on with this swap. ${safety}`;
  return `The payment is held, and you wait for the provider to lock ${deal.targetAmount} sats on Arkade, until ${momentText(deal.vhtlc.refundLocktime)} at the latest. ${safety}`;
}
