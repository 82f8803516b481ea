import { z } from 'zod';
import { refuse } from '../domain/errors.ts';
import { exact, optional } from './field.ts';
import { evmAddressField, flagField, integerField, oneOf, patterned, satsField, text, unitsField } from './scalars.ts';
import { count, evmAddress, fraction, integer, unixTime, words } from './wire.ts';

/** Requests and replies of the sandbox's controls. A field or value that is not listed is refused. */

const txidPattern = /^[0-9a-f]{64}$/;
const evmWorld = z.object({
  rpcUrl: words('JSON-RPC of the chain'),
  secondRpcUrl: words('Another JSON-RPC of the same chain, which no fault befalls').optional(),
  htlc: evmAddress('HTLC contract'),
  coordinator: evmAddress('Coordinator contract'),
  permit2: evmAddress('Permit2').optional(),
  tokens: z.array(
    z.object({
      symbol: words('Symbol'),
      address: evmAddress('Contract, zero for the native coin'),
      decimals: count('Decimal places'),
    }),
  ),
  dex: z
    .object({
      quoter: evmAddress('QuoterV2 of Uniswap v3'),
      router: evmAddress('SwapRouter02 of Uniswap v3'),
      wrappedNative: evmAddress('The native coin as a token'),
    })
    .optional(),
});

export const sandboxWorld = z.object({
  clock: unixTime('The clock of all networks'),
  skew: integer("Seconds by which the node's own wall clock is wrong, left out while it is right").optional(),
  arkade: z.object({ url: words('Operator') }).optional(),
  bitcoin: z
    .object({
      esploraUrl: words('Esplora'),
      height: count('Height of the tip'),
      mtp: unixTime('Median time past'),
      feeRate: fraction('Fee rate in sats per virtual byte').optional(),
    })
    .optional(),
  lightning: z
    .object({
      nodePubkey: words("The node's Lightning node"),
      peerPubkey: words('The outside Lightning node'),
      lnurl: words('LNURL-pay of the outside wallet'),
      lightningAddress: words('Lightning address of the outside wallet'),
    })
    .optional(),
  evm: z.record(z.string(), evmWorld).optional(),
  faults: z
    .object({
      arkade: z.enum(['away', 'back']).meta({ description: 'Whether the operator answers' }),
      lightning: z.enum(['away', 'back']).meta({ description: "Whether the node's Lightning node answers" }),
      bitcoin: z
        .enum(['away', 'back'])
        .optional()
        .meta({ description: 'Whether those answer whom the node asks about the Bitcoin chain' }),
      nextPayment: z.enum(['fails', 'hangs']).nullable().meta({ description: "What befalls the node's next payment" }),
      hanging: z.array(words('Payment hash, hex')).meta({ description: "The node's payments that hang" }),
      evm: z.record(z.string(), z.enum(['away', 'lags', 'lies', 'back'])).meta({ description: 'How each RPC behaves' }),
    })
    .optional()
    .meta({ description: 'What is wrong now' }),
});
export type SandboxWorld = z.infer<typeof sandboxWorld>;

export const sandboxClock = z.object({ clock: unixTime('The clock of all networks') });
export const sandboxCoin = z.object({ txid: words('Transaction'), vout: count('Output') });
export const sandboxInvoice = z.object({ bolt11: words('Invoice'), payment_hash: words('Payment hash, hex') });
export const sandboxPayment = z.object({ payment_hash: words('Payment hash, hex') });
export const sandboxPaymentState = z.object({
  state: z.enum(['in_flight', 'settled', 'failed']),
  preimage: words('Preimage, hex').optional(),
});
export const sandboxTip = z.object({ height: count('Height of the tip'), mtp: unixTime('Median time past') });
export const sandboxHeight = z.object({ height: count('Height of the tip') });
export const sandboxEvmTx = z.object({ tx_hash: words('Transaction') });

const address = text('address', 'where the coins go', 200);
const bolt11 = text('bolt11', 'a BOLT11 invoice', 8_000);
const paymentHash = patterned({ name: 'payment_hash', hint: '64 hex digits' }, 'payment hash', /^[0-9a-f]{64}$/);

/** A body that names exactly one of its faults. */
function fault<Shape extends z.ZodRawShape>(shape: Shape) {
  return exact(shape, (wire) => {
    const given = Object.values(wire).filter((value) => value !== undefined);
    if (given.length !== 1)
      return refuse(
        'invalid',
        `The request names ${given.length} faults: send exactly one of ${Object.keys(shape).join(', ')}.`,
      );
    return wire;
  });
}

export const advanceBody = exact({ seconds: integerField('seconds', 'how far to move the clocks', 0, 31_536_000) });
const aYear = 31_536_000;
const wrongBy = `seconds must be a whole number from ${-aYear} to ${aYear}, negative when the clock is behind.`;
export const skewBody = exact({
  seconds: z
    .int({ error: wrongBy })
    .min(-aYear, { error: wrongBy })
    .max(aYear, { error: wrongBy })
    .meta({ description: "How wrong the node's own wall clock is, in seconds, negative when it is behind" }),
});
export const coinFaucetBody = exact({ address, amount: satsField('amount', 'how much') });
export const arkadeFaultBody = fault({
  expire: optional(
    patterned(
      { name: 'expire', hint: 'a coin as txid:vout' },
      'a coin that becomes recoverable',
      /^[0-9a-f]{64}:\d{1,9}$/,
    ),
  ),
  unroll: optional(
    patterned(
      { name: 'unroll', hint: 'a coin as txid:vout' },
      'a coin that is taken to the chain',
      /^[0-9a-f]{64}:\d{1,9}$/,
    ),
  ),
  next_submit: optional(oneOf('next_submit', 'what befalls the next submission', ['unanswered'])),
  next_event: optional(oneOf('next_event', 'what befalls the next event', ['dropped'])),
  operator: optional(oneOf('operator', 'whether the operator answers', ['away', 'back'])),
  intent_fee_sats: optional(
    integerField('intent_fee_sats', 'what the operator asks for each coin in a batch', 0, 2_100_000_000_000_000),
  ),
});
export const invoiceBody = exact({
  amount_sats: satsField('amount_sats', 'what the invoice asks for'),
  description: optional(text('description', 'text of the invoice', 639)),
  expiry_seconds: optional(integerField('expiry_seconds', 'how long it can be paid', 1, 31_536_000)),
  hold: optional(flagField('hold', 'whether the payment is held')),
});
export const payBody = exact({ bolt11 });
export const lightningFaultBody = fault({
  next_payment: optional(oneOf('next_payment', "what befalls the node's next payment", ['fails', 'hangs'])),
  node: optional(oneOf('node', "whether the node's Lightning node answers", ['away', 'back'])),
});
export const releaseBody = exact({
  payment_hash: paymentHash,
  outcome: oneOf('outcome', 'how the hanging payment ends', ['settles', 'fails']),
});
export const paymentParams = z.object({ hash: words('Payment hash, hex') });

const autoSeconds = z
  .int({ error: 'auto_seconds must be a whole number from 1 to 86400, or null for no blocks on their own.' })
  .min(1, { error: 'auto_seconds must be at least 1, or null for no blocks on their own.' })
  .max(86_400, { error: 'auto_seconds must be at most 86400, or null for no blocks on their own.' })
  .nullable()
  .optional()
  .meta({ description: 'Seconds between blocks, null to stop' });

export const mineBitcoinBody = exact(
  {
    blocks: optional(integerField('blocks', 'how many blocks', 1, 1_000)),
    auto_seconds: autoSeconds,
    auto: optional(
      oneOf(
        'auto',
        'when blocks come on their own: five seconds after a transaction waits for one and until it is six deep, ' +
          'else every ten minutes',
        ['on_demand'],
      ),
    ),
  },
  (wire) => {
    const given = [wire.blocks, wire.auto_seconds, wire.auto].filter((value) => value !== undefined);
    if (given.length !== 1) return refuse('invalid', 'Send exactly one of blocks, auto_seconds and auto.');
    return wire;
  },
);
export const reorgBody = exact({
  depth: integerField('depth', 'how many blocks are replaced', 1, 100),
  drop: z
    .array(z.string().regex(txidPattern, { error: 'drop must list transaction ids of 64 hex digits.' }), {
      error: 'drop must be a list of transaction ids.',
    })
    .max(1_000, { error: 'drop must list at most 1000 transaction ids.' })
    .optional()
    .meta({ description: 'Transactions that do not return to the mempool' }),
});
export const evictBody = exact({
  txid: patterned({ name: 'txid', hint: '64 hex digits' }, 'the transaction that leaves the mempool', txidPattern),
});
export const bitcoinFaultBody = exact({
  source: oneOf('source', 'whether those answer whom the node asks about the chain', ['away', 'back']),
});
export const feesBody = exact({ sat_per_vb: integerField('sat_per_vb', 'the fee rate', 1, 10_000) });
export const evmParams = z.object({ chain: words('Number of the EVM chain') });
export const evmFaucetBody = exact({
  address: evmAddressField('address', 'the account to fund'),
  token: evmAddressField('token', 'the token; the zero address for the native coin'),
  amount: unitsField('amount', 'how much'),
});
export const evmMineBody = exact({ blocks: integerField('blocks', 'how many blocks', 1, 10_000) });
export const evmFaultBody = fault({
  next_transaction: optional(
    oneOf('next_transaction', "what befalls the node's next transaction", ['reverts', 'drops']),
  ),
  rpc: optional(oneOf('rpc', 'how the RPC behaves', ['away', 'lags', 'lies', 'back'])),
});
export const evmReorgBody = exact({
  depth: integerField('depth', 'how many blocks are replaced', 1, 64),
  drop: z
    .array(z.string().regex(/^(0x)?[0-9a-f]{64}$/i, { error: 'drop must list transaction hashes of 64 hex digits.' }), {
      error: 'drop must be a list of transaction hashes.',
    })
    .max(1_000, { error: 'drop must list at most 1000 transaction hashes.' })
    .optional()
    .meta({ description: 'Transactions that do not wait again' }),
});
const baseFeeRange = 'base_fee_gwei must be a number from 0 to 1000000.';
export const evmFeesBody = exact({
  base_fee_gwei: z
    .number({ error: baseFeeRange })
    .min(0, { error: baseFeeRange })
    .max(1_000_000, { error: baseFeeRange })
    .meta({ description: 'What each unit of gas costs at least, in billionths of a coin' }),
});
export const resetBody = exact({});
