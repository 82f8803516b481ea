import { z } from 'zod';
import { amount, count, evmAddress, flag, hex0x, swapStatus, unixTime, words } from '../wire.ts';

/** What is signed and sent on EVM chains for a claim or a funding (facts/clients.md 3 and 10). */

export const gaslessClaim = z.object({
  id: words('Swap id'),
  message: words('What happened'),
  status: swapStatus,
  tx_hash: words(
    'Hash of the claim that the service relayed; empty while it is being broadcast or when someone else claimed',
  ),
});
export type GaslessClaim = z.infer<typeof gaslessClaim>;

const dexCalldata = z.object({
  data: words('Calldata'),
  to: words('Contract'),
  value: words('Coins to send along'),
});

export const redeemData = z.object({
  calls_hash: hex0x(32, 'Hash of the calls; part of the signature'),
  gasless_fee_sats: count('Always 0; for older clients'),
  min_amount_out: amount('Least amount that reaches the destination; the value to sign'),
  dex_calldata: dexCalldata.optional(),
});
export type RedeemData = z.infer<typeof redeemData>;

/** A transaction that the service sent for the client. */
export const relayed = z.object({
  id: words('Swap id'),
  tx_hash: words('Hash of the transaction'),
  message: words('What happened'),
  status: swapStatus,
});
export type Relayed = z.infer<typeof relayed>;

const call = z
  .object({ target: evmAddress('Contract'), value: words('Coins to send along'), call_data: words('Calldata') })
  .meta({ id: 'Call', description: 'A call of the coordinator' });

const funding = {
  coordinator_address: evmAddress('Coordinator'),
  permit2_address: evmAddress('Permit2'),
  source_token_address: evmAddress('Token that the user permits'),
  source_amount: amount('Amount that the user permits'),
  lock_token_address: evmAddress('BTC-pegged token of the HTLC'),
  preimage_hash: hex0x(32, 'Hash lock'),
  claim_address: evmAddress("The service's account"),
  timelock: unixTime('When the HTLC expires'),
  calls: z.array(call),
  calls_hash: hex0x(32, 'Hash of the calls'),
  relay_fee: amount('Fee of a gasless funding').optional(),
};

export const permit2Funding = z.object({
  ...funding,
  eip2612: z
    .object({
      supported: flag('Whether the token takes signed permits'),
      already_approved: flag('Whether Permit2 is approved already'),
      nonce: count('Nonce of the permit'),
      domain_separator: hex0x(32, "The token's domain"),
    })
    .optional(),
});
export type Permit2Funding = z.infer<typeof permit2Funding>;

const delegation = {
  entry_point: evmAddress('EntryPoint of ERC-4337'),
  delegation_target: evmAddress('What the account of the user delegates to (EIP-7702)'),
};

/** What a client sends by a bundler of its own; whoever funds, the depositor is its own affair. */
export const useropFunding = z.object({ ...funding, aa: z.object(delegation) });
export type UseropFunding = z.infer<typeof useropFunding>;

/** GET /aa/config: the bundler that the owner of the node lets its clients use. */
export const bundlerConfig = z.object({
  ...delegation,
  permit2: evmAddress('Permit2'),
  bundler: z.object({
    url: words('Where user operations are sent'),
    casing: z.enum(['camel', 'snake']).meta({ description: 'How the bundler spells the fields of an operation' }),
  }),
  paymaster: z.object({ url: words('Who pays for the gas of an operation') }).optional(),
});
export type BundlerConfig = z.infer<typeof bundlerConfig>;
