import { isRefusal, refuse, type Refusal } from '../../domain/errors.ts';
import type { EvmAddress } from '../../domain/evm.ts';
import { asPreimage, type Preimage } from '../../domain/hash.ts';
import { object, list, optional, request } from '../field.ts';
import { bytesField, evmAddressField, hex32Field, integerField, uint256Field } from '../scalars.ts';
import { foreignAddress } from './common.ts';

/** A secp256k1 signature as Ethereum writes it. */
export interface EvmSignature {
  /** 27 or 28, or 0 or 1. */
  readonly v: number;
  readonly r: Uint8Array;
  readonly s: Uint8Array;
}

/** A call that the coordinator makes. */
interface EvmCall {
  readonly target: EvmAddress;
  readonly value: bigint;
  readonly data: Uint8Array;
}

/** Where a claim sends the tokens; data and claim must name the same (facts/clients.md 38). */
export interface RedeemDataRequest {
  readonly destination: EvmAddress;
  readonly bridgeRecipient: string | null;
  readonly bridgeRecipientWallet: string | null;
}

/** POST /swap/{id}/claim-gasless. Holds the secret: never logged, never repeated in an answer. */
export interface ClaimGaslessRequest extends RedeemDataRequest {
  readonly secret: Preimage;
  readonly signature: EvmSignature;
  /** Used instead of fresh calldata: the signature covers it. */
  readonly dexCall: EvmCall | null;
}

const maxCalldata = 60_000;

const bridgeRecipientFields = {
  bridge_recipient: optional(
    foreignAddress('bridge_recipient', 'the mint recipient of a bridge to a chain that is no EVM chain'),
  ),
  bridge_recipient_wallet: optional(
    foreignAddress('bridge_recipient_wallet', 'the wallet whose token account is to be created'),
  ),
};

function recipient(wire: {
  destination: EvmAddress;
  bridge_recipient?: string | undefined;
  bridge_recipient_wallet?: string | undefined;
}): RedeemDataRequest | Refusal {
  if (wire.bridge_recipient_wallet !== undefined && wire.bridge_recipient === undefined)
    return refuse('invalid', 'bridge_recipient_wallet needs bridge_recipient: send both, or neither.');
  return {
    destination: wire.destination,
    bridgeRecipient: wire.bridge_recipient ?? null,
    bridgeRecipientWallet: wire.bridge_recipient_wallet ?? null,
  };
}

export const redeemDataQuery = request(
  { destination: evmAddressField('destination', 'the account that receives the tokens'), ...bridgeRecipientFields },
  recipient,
);

const signatureFields = {
  v: integerField('v', 'the v of the signature', 0, 255),
  r: hex32Field('r', 'the r of the signature', true),
  s: hex32Field('s', 'the s of the signature', true),
};

export const claimGaslessBody = request(
  {
    secret: hex32Field('secret', 'the secret of the swap', true),
    destination: evmAddressField('destination', 'the account that receives the tokens'),
    ...signatureFields,
    dex_calldata: optional(
      object('dex_calldata', 'the calldata as redeem-and-swap-calldata gave it', {
        data: bytesField('dex_calldata.data', 'the calldata', maxCalldata),
        to: evmAddressField('dex_calldata.to', 'the contract to call'),
        value: optional(uint256Field('dex_calldata.value', 'the coins to send along')),
      }),
    ),
    ...bridgeRecipientFields,
  },
  (wire): ClaimGaslessRequest | Refusal => {
    const to = recipient(wire);
    if (isRefusal(to)) return to;
    const dex = wire.dex_calldata;
    return {
      ...to,
      secret: asPreimage(wire.secret),
      signature: { v: wire.v, r: wire.r, s: wire.s },
      dexCall: dex === undefined ? null : { target: dex.to, value: dex.value ?? 0n, data: dex.data },
    };
  },
);

/** POST /swap/{id}/fund-gasless. */
export interface FundGaslessRequest {
  readonly permit2: { readonly nonce: bigint; readonly deadline: number; readonly signature: Uint8Array };
  readonly calls: readonly EvmCall[];
  readonly permit: {
    readonly value: bigint;
    readonly deadline: bigint;
    /** Bytes of a depositor that is a contract. */
    readonly signature: EvmSignature | Uint8Array;
  } | null;
}

const callFields = {
  target: evmAddressField('calls.target', 'the contract to call'),
  value: uint256Field('calls.value', 'the coins to send along'),
  call_data: bytesField('calls.call_data', 'the calldata', maxCalldata),
};

const farFuture = Number.MAX_SAFE_INTEGER;

/** A wallet that is a contract packs several signatures into one. */
const longestSignature = 2_000;

/** In its parts, or as the bytes that a contract signs (facts/clients.md 36). */
function permitSignature({
  v,
  r,
  s,
  signature,
}: {
  readonly v?: number | undefined;
  readonly r?: Uint8Array | undefined;
  readonly s?: Uint8Array | undefined;
  readonly signature?: Uint8Array | undefined;
}): EvmSignature | Uint8Array | Refusal {
  if (v !== undefined && r !== undefined && s !== undefined) return { v, r, s };
  return (
    signature ??
    refuse('invalid', 'eip2612_permit has no signature: send v, r and s, or signature where the account is a contract.')
  );
}

export const fundGaslessBody = request(
  {
    permit2_nonce: uint256Field('permit2_nonce', 'the nonce of the Permit2 signature'),
    permit2_deadline: integerField(
      'permit2_deadline',
      'the deadline of the Permit2 signature in unix seconds',
      0,
      farFuture,
    ),
    permit2_signature: bytesField(
      'permit2_signature',
      'the Permit2 signature: r, s and v, or what a contract signs',
      longestSignature,
    ),
    calls: list(
      'calls',
      'the calls as swap-and-lock-calldata-permit2 gave them',
      object('calls', 'a call', callFields),
      0,
      20,
    ),
    eip2612_permit: optional(
      object('eip2612_permit', 'a permit of the token for Permit2', {
        value: uint256Field('eip2612_permit.value', 'the permitted value'),
        deadline: uint256Field('eip2612_permit.deadline', 'the deadline of the permit in unix seconds'),
        v: optional(signatureFields.v),
        r: optional(signatureFields.r),
        s: optional(signatureFields.s),
        signature: optional(
          bytesField('eip2612_permit.signature', 'instead of v, r and s, what a contract signs', longestSignature),
        ),
      }),
    ),
  },
  (wire): FundGaslessRequest | Refusal => {
    if (wire.permit2_signature.length < 65)
      return refuse(
        'invalid',
        `permit2_signature has ${wire.permit2_signature.length} bytes and needs 65: send 0x, r, s and v.`,
      );
    const permit = wire.eip2612_permit;
    const signature = permit === undefined ? null : permitSignature(permit);
    if (signature !== null && isRefusal(signature)) return signature;
    return {
      permit2: { nonce: wire.permit2_nonce, deadline: wire.permit2_deadline, signature: wire.permit2_signature },
      calls: wire.calls.map((call) => ({ target: call.target, value: call.value, data: call.call_data })),
      permit:
        permit === undefined || signature === null
          ? null
          : { value: permit.value, deadline: permit.deadline, signature },
    };
  },
);

/** POST /api/swap/{id}/collab-refund-evm: the depositor's signature over the parameters that the service gave. */
export interface CollabRefundEvmRequest {
  readonly depositor: EvmAddress;
  readonly signature: EvmSignature;
}

export const collabRefundEvmBody = request(
  { ...signatureFields, depositor_address: evmAddressField('depositor_address', 'the account that funded the HTLC') },
  (wire): CollabRefundEvmRequest => ({
    depositor: wire.depositor_address,
    signature: { v: wire.v, r: wire.r, s: wire.s },
  }),
);
