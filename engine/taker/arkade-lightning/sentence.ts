import { momentText } from '../moment.ts';
import type { Deal } from '../terms.ts';
import { payerIsOut, type TakeArkadeLightningProgress } from './terms.ts';

/* Who is waiting for whom, until when, and why the owner's money is safe meanwhile. */

type P = TakeArkadeLightningProgress;

export function arkadeLightningSentence(p: P): string {
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

function unfundedSentence({ deal, said: status }: P & { at: 'waiting' }): string {
  if (status === 'expired')
    return 'The provider does not wait for this swap any more. Do not send anything to its address; what was sent all the same comes back.';
  return `The provider waits for ${deal.sourceAmount} sats at its address and then pays the invoice, which expires on ${momentText(deal.invoiceExpiresAt)}. ${refundable({ deal })}`;
}

function fundedSentence(p: P & { at: 'funded' }): string {
  if (p.proof !== null)
    return `The invoice is paid. More coins than needed lie at the address, and this node asks for them back. ${refundable(p)}`;
  if (p.declined !== null) return `A refund did not work yet: ${p.declined.replace(/\.$/, '')}. ${refundable(p)}`;
  if (payerIsOut.has(p.said))
    return `The provider will not pay the invoice, and this node asks it to sign your refund. ${refundable(p)}`;
  return `Your coins arrived, and you wait for the provider to pay the invoice. ${refundable(p)}`;
}
