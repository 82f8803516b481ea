import type { PageDirection } from './direction.ts';

export const lightningArkade: PageDirection = {
  amountLabel: 'You pay, in sats',
  invoice: async () => null,
  placeLabel: () => 'Invoice',
  qrLabel: 'QR code of the invoice',
  fundLabel: 'Pay from the sandbox wallet',
  async fund(client, swap) {
    await client.call('lightningPay', { body: { bolt11: swap.pay?.text ?? '' } });
  },
};
