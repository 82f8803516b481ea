import type { LightningPort } from '../../legs/lightning/port.ts';
import { followLightning } from '../followers.ts';
import type { Over } from '../link.ts';

/** Lightning over whatever connection there is. */
export function lightningOver({ ask, follow }: Over<LightningPort>): Required<LightningPort> {
  return {
    info: () => ask((port) => port.info()),
    liquidity: () => ask((port) => port.liquidity()),
    createHold: (...invoice) => ask((port) => port.createHold(...invoice)),
    hold: (...hash) => ask((port) => port.hold(...hash)),
    settle: (...preimage) => ask((port) => port.settle(...preimage)),
    cancel: (...hash) => ask((port) => port.cancel(...hash)),
    pay: (...request) => ask((port) => port.pay(...request)),
    payment: (...hash) => ask((port) => port.payment(...hash)),
    estimateFee: (...bolt11) => ask((port) => port.estimateFee(...bolt11)),
    watch: (handlers) => follow(followLightning(handlers)),
    createInvoice: (...invoice) => ask((port) => port.createInvoice(...invoice)),
    holdings: () => ask((port) => port.holdings()),
    chainWallet: (...from) => ask((port) => port.chainWallet(...from)),
    closingFunds: () => ask((port) => port.closingFunds()),
    payments: (...page) => ask((port) => port.payments(...page)),
    invoices: (...page) => ask((port) => port.invoices(...page)),
  };
}
