import { isRefusal, refuse, type Refusal } from '../../domain/errors.ts';
import type { EvmAddress } from '../../domain/evm.ts';
import type { TokenAmount } from '../../domain/money.ts';
import { object, optional, request } from '../field.ts';
import {
  evmAddressField,
  evmChainIdField,
  flagField,
  integerField,
  oneOf,
  unitsField,
  type EvmChainId,
} from '../scalars.ts';
import { foreignAddress } from './common.ts';

/** A token as an exchange is asked about it. The chain may be one behind a bridge, the address one of no EVM chain. */
export interface DexToken {
  readonly kind: 'evm' | 'solana';
  /** Null on Solana. */
  readonly chainId: number | null;
  /** 0x and 40 hex digits in small letters, or base58. */
  readonly address: string;
}

/** POST /dex-quote. */
export interface DexQuoteRequest {
  readonly from: DexToken;
  readonly to: DexToken;
  readonly pinned: 'in' | 'out';
  /** In the smallest units of the token on the pinned side. */
  readonly amount: TokenAmount;
  readonly slippageBps: number;
  /** Whether an account has to be made on the other side of a bridge. */
  readonly recipientSetup: boolean;
}

/** Whom a bridge pays, for POST /dex-calldata/fund and /dex-calldata/claim. */
export type BridgeRecipient =
  | { readonly kind: 'evm'; readonly address: string }
  | { readonly kind: 'solana'; readonly address: string; readonly wallet: string | null };

/** POST /dex-calldata/fund and /dex-calldata/claim. */
export interface DexCallsRequest extends DexQuoteRequest {
  /** Who makes the calls; `/claim` pays it. */
  readonly sender: EvmAddress;
  readonly bridgeRecipient: BridgeRecipient | null;
}

const farthestChain = Number.MAX_SAFE_INTEGER;
const mostSlippage = 5_000;

const token = (name: string) =>
  object(name, 'a token: kind, chain_id and address', {
    kind: oneOf(`${name}.kind`, 'what chain the token is of', ['evm', 'solana']),
    chain_id: optional(integerField(`${name}.chain_id`, 'the number of the chain', 1, farthestChain)),
    address: foreignAddress(`${name}.address`, 'the address of the token'),
  });

const quoteFields = {
  from: token('from'),
  to: token('to'),
  amount: object('amount', 'the fixed amount: kind and value', {
    kind: oneOf('amount.kind', 'which amount is fixed', ['exact_in', 'exact_out']),
    value: unitsField('amount.value', 'the amount'),
  }),
  slippage_bps: integerField('slippage_bps', 'how much worse it may come out, in basis points', 0, mostSlippage),
  cctp_recipient_setup: optional(
    flagField('cctp_recipient_setup', 'whether an account has to be made on the other side'),
  ),
};

interface TokenWire {
  readonly kind: 'evm' | 'solana';
  readonly chain_id?: number | undefined;
  readonly address: string;
}

function tokenOf(name: string, { kind, chain_id: chainId, address }: TokenWire): DexToken | Refusal {
  const hex = address.startsWith('0x');
  if (kind === 'solana')
    return hex
      ? refuse('invalid', `${name}.address is no address of Solana: send it in base58.`)
      : { kind, chainId: null, address };
  if (chainId === undefined)
    return refuse('invalid', `${name}.chain_id is required for a token of an EVM chain: send its number.`);
  return hex
    ? { kind, chainId, address: address.toLowerCase() }
    : refuse('invalid', `${name}.address is no address of an EVM chain: send 0x and 40 hex digits.`);
}

interface QuoteWire {
  readonly from: TokenWire;
  readonly to: TokenWire;
  readonly amount: { readonly kind: 'exact_in' | 'exact_out'; readonly value: TokenAmount };
  readonly slippage_bps: number;
  readonly cctp_recipient_setup?: boolean | undefined;
}

function quoteOf(wire: QuoteWire): DexQuoteRequest | Refusal {
  const from = tokenOf('from', wire.from);
  if (isRefusal(from)) return from;
  const to = tokenOf('to', wire.to);
  if (isRefusal(to)) return to;
  return {
    from,
    to,
    pinned: wire.amount.kind === 'exact_in' ? 'in' : 'out',
    amount: wire.amount.value,
    slippageBps: wire.slippage_bps,
    recipientSetup: wire.cctp_recipient_setup ?? false,
  };
}

export const dexQuoteBody = request(quoteFields, quoteOf);

export const dexCallsBody = request(
  {
    ...quoteFields,
    sender: evmAddressField('sender', 'the account that makes the calls'),
    bridge_recipient: optional(
      object('bridge_recipient', 'whom the bridge pays', {
        kind: oneOf('bridge_recipient.kind', 'what chain it is of', ['evm', 'solana']),
        address: foreignAddress('bridge_recipient.address', 'the recipient'),
        wallet: optional(foreignAddress('bridge_recipient.wallet', 'the wallet whose token account is to be made')),
      }),
    ),
  },
  (wire): DexCallsRequest | Refusal => {
    const quote = quoteOf(wire);
    if (isRefusal(quote)) return quote;
    const recipient = recipientOf(wire.bridge_recipient);
    return isRefusal(recipient) ? recipient : { ...quote, sender: wire.sender, bridgeRecipient: recipient };
  },
);

interface RecipientWire {
  readonly kind: 'evm' | 'solana';
  readonly address: string;
  readonly wallet?: string | undefined;
}

function recipientOf(wire: RecipientWire | undefined): BridgeRecipient | null | Refusal {
  if (wire === undefined) return null;
  const { kind, address, wallet } = wire;
  if (kind === 'solana')
    return address.startsWith('0x')
      ? refuse('invalid', 'bridge_recipient.address is no address of Solana: send it in base58.')
      : { kind, address, wallet: wallet ?? null };
  return address.startsWith('0x')
    ? { kind, address: address.toLowerCase() }
    : refuse('invalid', 'bridge_recipient.address is no address of an EVM chain: send 0x and 40 hex digits.');
}

/** GET /aa/config. */
export const bundlerConfigQuery = request(
  { chain: integerField('chain', 'the number of an EVM chain', 1, farthestChain) },
  ({ chain }) => ({ chainId: chain }),
);

/** GET /evm-tokens. */
export const evmTokensQuery = request(
  { chain_id: optional(evmChainIdField('chain_id')) },
  (wire): { readonly chainId: EvmChainId | null } => ({ chainId: wire.chain_id ?? null }),
);
