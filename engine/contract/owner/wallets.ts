import { z } from 'zod';
import type { Network } from '../../domain/chain.ts';
import type { TokenAmount } from '../../domain/money.ts';
import { optional, request } from '../field.ts';
import { speedNames, type WithdrawalSpeed } from '../../domain/withdrawal-cost.ts';
import { amountOrAllField, oneOf, patterned, text, unitsField } from '../scalars.ts';
import { amount, flag, fraction, sats, unixTime, words } from '../wire.ts';

export const balances = z.object({
  balances: z.array(
    z.object({
      network: words('Network'),
      asset: words('btc or the address of a token'),
      available: amount('Free'),
      reserved: amount('Promised to swaps'),
      locked: amount('In HTLCs'),
      pending: amount('On its way'),
      fee_reserve: amount(
        'Of what is free, kept for fees of what is open on the Bitcoin chain and at the operator',
      ).optional(),
      as_of: unixTime(
        'Set while the network does not answer: what it held then, and nothing to be used now',
      ).optional(),
    }),
  ),
});
export type Balances = z.infer<typeof balances>;

export const walletAddress = z.object({ address: words('Where to send; an invoice on Lightning') });
export type WalletAddress = z.infer<typeof walletAddress>;

export const withdrawal = z.object({
  id: words('Wallet job'),
  sent: flag(
    'Whether its network has it. False after ten seconds without: it is signed or waits for the network, and goes ' +
      'on by itself. Do not send it again',
  ),
  transaction: words('Transaction or payment that its network took; empty while none did'),
});
export type Withdrawal = z.infer<typeof withdrawal>;

/** POST /owner/wallets/{network}/fees: what a withdrawal would cost now, on Bitcoin the soonest first. */
export const withdrawalFees = z.object({
  fees: z.array(
    z.object({
      speed: z.enum(speedNames).meta({ description: 'How soon it is to be mined' }),
      refused: words('Why it could not be sent so; the figures are null then').nullable(),
      rate: fraction('What the chain asks for, in sats per virtual byte').nullable(),
      fee: sats('Fee, with whatever is too little to come back').nullable(),
      arrives: sats('What arrives: of all that there is, what the fee leaves').nullable(),
    }),
  ),
  coin: z
    .object({
      most_gas: amount('Most wei that its gas may cost, raises included'),
      arrives: amount('What arrives: of all that is free, what the gas leaves'),
    })
    .optional()
    .meta({ description: 'Of the coin of an EVM chain, which has no choice of its speed' }),
});
export type WithdrawalFees = z.infer<typeof withdrawalFees>;

/** POST /owner/wallets/{network}/exit: a job for each coin that goes to the chain. */
export const walletExit = z.object({
  jobs: z.array(
    z.object({
      id: words('Wallet job'),
      coin: words('Outpoint at the operator, as txid:vout'),
      amount: sats('What it holds'),
    }),
  ),
});
export type WalletExit = z.infer<typeof walletExit>;

const networkName = patterned(
  { name: 'network', hint: 'arkade, lightning, bitcoin or evm: and a chain number' },
  'arkade, lightning, bitcoin or evm:137',
  /^(arkade|lightning|bitcoin|evm:[1-9]\d{0,9})$/,
);

export const walletParams = request({ network: networkName }, (wire) => ({ network: wire.network as Network }));

const asset = optional(text('asset', 'btc or the address of a token', 100));

/** POST /owner/wallets/{network}/address. `amount` is what the invoice asks for on Lightning, and ignored elsewhere. */
export interface WalletAddressRequest {
  readonly asset: string | null;
  readonly amount: TokenAmount | null;
}

export const walletAddressBody = request(
  { asset, amount: optional(unitsField('amount', 'the amount of the invoice, on Lightning')) },
  (wire): WalletAddressRequest => ({ asset: wire.asset ?? null, amount: wire.amount ?? null }),
);

/** POST /owner/wallets/{network}/withdraw. */
export interface WithdrawRequest {
  /** An invoice on Lightning. */
  readonly address: string;
  /** `all` on Bitcoin, and of the coin of an EVM chain: what is free, less the fee. */
  readonly amount: TokenAmount | 'all';
  readonly asset: string | null;
  /** Most that it may cost, first fee and raises together, or routing; null for what the owner's settings allow. */
  readonly maxFee?: TokenAmount | null;
  /** On Bitcoin alone; null for the usual one. */
  readonly speed?: WithdrawalSpeed | null;
}

const payment = {
  address: text('address', 'where to send', 5_000),
  amount: amountOrAllField('amount', 'how much to send'),
  asset,
  max_fee: optional(
    unitsField('max_fee', 'the most that it may cost, instead of what the ceilings in the settings allow'),
  ),
};

export const withdrawBody = request(
  { ...payment, speed: optional(oneOf('speed', 'how soon it is to be mined, on Bitcoin', speedNames)) },
  (wire): WithdrawRequest => ({
    address: wire.address,
    amount: wire.amount,
    asset: wire.asset ?? null,
    maxFee: wire.max_fee ?? null,
    speed: wire.speed ?? null,
  }),
);

/** POST /owner/wallets/{network}/fees. */
export type WithdrawalFeesRequest = Omit<WithdrawRequest, 'address' | 'speed'> & {
  /** Null for the HTLC of a swap that is not created yet. */
  readonly address: string | null;
};

const towards = optional(text('address', 'where to send; left out for an HTLC of a swap to come', 5_000));

export const withdrawalFeesBody = request({ ...payment, address: towards }, (wire): WithdrawalFeesRequest => ({
  address: wire.address ?? null,
  amount: wire.amount,
  asset: wire.asset ?? null,
  maxFee: wire.max_fee ?? null,
}));
