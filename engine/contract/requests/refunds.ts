import { refuse, type Refusal } from '../../domain/errors.ts';
import { asPreimage, type Preimage } from '../../domain/hash.ts';
import { fromBase64 } from '../base64.ts';
import { field, list, optional, request, wrong, type Field } from '../field.ts';
import { hex32Field, integerField, keyField, text, type ClientKey } from '../scalars.ts';

/**
 * The longest text of a PSBT of many coins, which is one of about fifty, and of one. A refund is then judged by the
 * coins of its swap.
 */
const maxPsbt = 64_000;
const maxPsbtOfOne = 6_000;
const psbtMagic = [0x70, 0x73, 0x62, 0x74, 0xff];

/** A PSBT (BIP 174) as base64. */
function psbtField(name: string, what: string, longest = maxPsbt): Field<string, Uint8Array> {
  const info = { name, hint: `${what} as the base64 text of a PSBT` };
  return field(
    info,
    { type: 'string', description: `${what}, PSBT in base64`, contentEncoding: 'base64', maxLength: longest },
    (given) => {
      if (typeof given !== 'string') return wrong(info, given);
      if (given.length > longest)
        return wrong(info, given, `it has ${given.length} characters and the limit is ${longest}`);
      const bytes = fromBase64(given);
      if (bytes === null) return wrong(info, given, 'it is not base64');
      return psbtMagic.every((byte, at) => bytes[at] === byte) ? bytes : wrong(info, given, 'it is not a PSBT');
    },
  );
}

/** The client's half of a collaborative refund: the refund leaf signed as sender, a checkpoint for each input. */
export interface CollabRefundRequest {
  readonly arkTx: Uint8Array;
  readonly checkpoints: readonly Uint8Array[];
}

export const collabRefundBody = request(
  {
    ark_tx: psbtField('ark_tx', 'the transaction that spends the VHTLC through its refund leaf'),
    checkpoint_txs: list(
      'checkpoint_txs',
      'one checkpoint for each input',
      psbtField('checkpoint_txs', 'a checkpoint', maxPsbtOfOne),
      1,
      100,
    ),
  },
  (wire): CollabRefundRequest => ({ arkTx: wire.ark_tx, checkpoints: wire.checkpoint_txs }),
);

/** The client's half of a refund through a batch (facts/clients.md 27). */
export interface DelegateRefundRequest {
  readonly intentProof: Uint8Array;
  readonly forfeits: readonly Uint8Array[];
}

const delegateFields = {
  intent_proof: psbtField('intent_proof', 'the proof of the intent'),
  forfeit_psbts: list(
    'forfeit_psbts',
    'one forfeit for each coin that has not expired',
    psbtField('forfeit_psbts', 'a forfeit', maxPsbtOfOne),
    0,
    100,
  ),
};

export const delegateRefundBody = request(delegateFields, (wire): DelegateRefundRequest => ({
  intentProof: wire.intent_proof,
  forfeits: wire.forfeit_psbts,
}));

/** POST /api/delegate/settle (facts/clients.md 27). With a preimage it is a claim of `swapId`. */
export interface DelegateSettleRequest extends DelegateRefundRequest {
  /** The exact JSON text that the proof commits to. */
  readonly message: string;
  readonly cosigner: ClientKey;
  readonly swapId: string | null;
  readonly preimage: Preimage | null;
}

export const delegateSettleBody = request(
  {
    ...delegateFields,
    intent_message: text('intent_message', 'the JSON text that the proof commits to', 100_000),
    cosigner_pk: keyField('cosigner_pk', 'the key that cosigner-pk gave'),
    swap_id: optional(text('swap_id', 'the id of the swap', 100)),
    preimage: optional(hex32Field('preimage', 'the secret of the swap', true)),
  },
  (wire): DelegateSettleRequest | Refusal => {
    if (wire.preimage !== undefined && wire.swap_id === undefined)
      return refuse('invalid', 'preimage needs swap_id: send both, or neither.');
    return {
      intentProof: wire.intent_proof,
      forfeits: wire.forfeit_psbts,
      message: wire.intent_message,
      cosigner: wire.cosigner_pk,
      swapId: wire.swap_id ?? null,
      preimage: wire.preimage === undefined ? null : asPreimage(wire.preimage),
    };
  },
);

/** POST /swap/bulk-status. */
export interface BulkStatusRequest {
  readonly ids: readonly string[];
}

export const bulkStatusBody = request(
  { ids: list('ids', 'the ids of swaps', text('ids', 'the id of a swap', 100), 0, 100) },
  (wire): BulkStatusRequest => ({ ids: wire.ids }),
);

/** POST /swap/recover: the swaps whose user_id is a child key of the xpub. */
export interface RecoverRequest {
  readonly xpub: string;
  readonly startIndex: number;
}

export const recoverBody = request(
  {
    xpub: text('xpub', 'an extended public key (BIP 32)', 120),
    start_index: optional(integerField('start_index', 'the first index to look at', 0, 2 ** 31 - 1)),
  },
  (wire): RecoverRequest => ({ xpub: wire.xpub, startIndex: wire.start_index ?? 0 }),
);
