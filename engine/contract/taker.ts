import { z } from 'zod';
import { refuse, type Refusal } from '../domain/errors.ts';
import type { Sats } from '../domain/money.ts';
import { takerDirections, takerInvoices, type TakerDirection } from '../domain/chain.ts';
import { optional, request } from './field.ts';
import { payeeFields } from './requests/common.ts';
import { oneOf, patterned, satsField } from './scalars.ts';
import { flag, sats, swapStatus, unixTime, words } from './wire.ts';

/** Requests and replies of the owner's own swaps, in which this node is the client. */

/** POST /owner/taker/swaps. */
export interface TakerSwapRequest {
  readonly direction: TakerDirection;
  /** What is sent over Lightning, or what the invoice asks for. */
  readonly amount: Sats;
  /** What the provider is to pay; only from Arkade. */
  readonly invoice: string | null;
  /** Base URL of the provider, empty for this very node. */
  readonly provider: string;
}

const loopback = /^http:\/\/(127\.0\.0\.1|localhost|\[::1\])(:\d{1,5})?(\/|$)/;

const providerUrl = patterned(
  { name: 'provider_url', hint: 'the https address of a provider, or leave it out to swap with this node' },
  'Base URL of the provider; this node when left out',
  /^https?:\/\/[^\s/?#@]{1,253}(\/[^\s?#]{0,200})?$/,
  (given) => given.replace(/\/+$/, ''),
);

export const takerSwapBody = request(
  {
    direction: oneOf('direction', 'which way', takerDirections),
    amount_sats: satsField('amount_sats', 'what is sent over Lightning, or what the invoice asks for'),
    invoice: payeeFields.lightning_invoice,
    provider_url: optional(providerUrl),
  },
  (wire): TakerSwapRequest | Refusal => {
    const provider = wire.provider_url ?? '';
    if (provider.startsWith('http:') && !loopback.test(provider))
      return refuse('invalid', 'provider_url is not encrypted: send an https address, or an http one of this machine.');
    if (takerInvoices[wire.direction] === 'owner' && wire.invoice === undefined)
      return refuse('invalid', 'invoice is required for a swap to Lightning: send the invoice that is to be paid.');
    if (takerInvoices[wire.direction] === 'provider' && wire.invoice !== undefined)
      return refuse(
        'invalid',
        'invoice is only for a swap to Lightning: leave it out, the provider makes the one that you pay.',
      );
    return { direction: wire.direction, amount: wire.amount_sats, invoice: wire.invoice ?? null, provider };
  },
);

export const takerSwapCreated = z.object({ id: words('Id of the swap at this node') });
export type TakerSwapCreated = z.infer<typeof takerSwapCreated>;

export const takerSwaps = z.object({
  swaps: z.array(
    z
      .object({
        id: words('Id of the swap at this node'),
        provider_swap_id: words('Id of the swap at its provider').nullable(),
        provider_url: words('Base URL of the provider; empty for this node'),
        direction: z.enum(takerDirections).meta({ description: 'Which way' }),
        at: words('Internal state of the swap'),
        status: swapStatus,
        sentence: words('Who is waiting for whom, and until when'),
        invoice: words(
          'What to pay over Lightning, or what the provider pays; only once the record was checked',
        ).nullable(),
        address: words(
          'Where to send on Arkade, or where the provider locks; only once the record was checked',
        ).nullable(),
        amount_sats: sats('What is to be paid'),
        receive_sats: sats('What comes out'),
        deadline: unixTime('Until when').nullable(),
        can_refund: flag('Whether coins can be asked back now'),
        created: unixTime('When it was opened'),
      })
      .meta({ id: 'TakerSwap', description: 'A swap in which this node is the client' }),
  ),
});
export type TakerSwaps = z.infer<typeof takerSwaps>;
export type TakerSwap = TakerSwaps['swaps'][number];
