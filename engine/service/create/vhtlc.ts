import type { DoorTerms } from '../../contract/requests/common.ts';
import type { ClientKey } from '../../contract/scalars.ts';
import { refuse, type Refusal } from '../../domain/errors.ts';
import type { Hash160, PublicKey, XOnly } from '../../domain/hash.ts';
import { xOnlyOf } from '../../domain/hash.ts';
import type { SwapStatus } from '../../domain/status.ts';
import { earlierOf, until, type ReadClocks, type Unix } from '../../domain/time.ts';
import { arkadePrefix, encodeArkadeAddress } from '../../legs/arkade/address.ts';
import type { OperatorInfo } from '../../legs/arkade/operator.ts';
import { vhtlcOutput } from '../../legs/arkade/script.ts';
import type { VhtlcTerms } from '../../legs/arkade/terms.ts';
import { vhtlcDelays } from '../../legs/timelocks.ts';
import type { ServiceContext } from '../context.ts';

const lockedAway: ReadonlySet<SwapStatus> = new Set(['serverfunded', 'clientredeeming']);

/** Whether a lock of ours is not in the wallet any more, and not the client's yet. */
export function isLockedAway(status: SwapStatus): boolean {
  return lockedAway.has(status);
}

/** Of a VHTLC that a client funds: with it what the swap's terms say of who may take it, and of how it is funded. */
export function clientsVhtlc(
  context: ServiceContext,
  operator: OperatorInfo,
  parts: {
    readonly refundKey: ClientKey;
    readonly key: { readonly index: number; readonly publicKey: PublicKey };
    readonly hash: Hash160;
    readonly refundLocktime: Unix;
    readonly clocks: ReadClocks;
    /** Strict when left out. */
    readonly form?: DoorTerms['vhtlc'] | undefined;
  },
) {
  const { refundKey, key, hash, refundLocktime, clocks, form } = parts;
  return {
    ...vhtlcOf(
      context,
      operator,
      { sender: refundKey.key, receiver: key.publicKey, hash, refundLocktime, clocks },
      form === 'loose' ? { sizeGuard: false } : {},
    ),
    keyIndex: key.index,
    serverKey: key.publicKey,
    clientKeyText: refundKey.text,
    toleranceBps: context.config.terms.overpaymentToleranceBps,
  };
}

/** Of a VHTLC that we are to fund for a client. */
export function ourVhtlc<A extends string | null>(
  context: ServiceContext,
  operator: OperatorInfo,
  parts: {
    readonly request: { readonly claimKey: ClientKey; readonly targetAddress: A };
    readonly key: { readonly index: number; readonly publicKey: PublicKey };
    readonly hash: Hash160;
    readonly refundLocktime: Unix;
    readonly clocks: ReadClocks;
    /** Strict when left out. Loose only where the opening of the swap says what is at risk (`Opening.atRisk`). */
    readonly form?: DoorTerms['vhtlc'] | undefined;
  },
) {
  const { request, key, hash, refundLocktime, clocks, form } = parts;
  const receiver = request.claimKey.key;
  return {
    ...vhtlcOf(
      context,
      operator,
      { sender: key.publicKey, receiver, hash, refundLocktime, clocks },
      form === 'loose' ? { sizeGuard: false } : {},
    ),
    keyIndex: key.index,
    serverKey: key.publicKey,
    targetArkadeAddress: request.targetAddress,
  };
}

/** The operator of new VHTLCs. */
export function operatorNow({ networks }: ServiceContext): OperatorInfo | Refusal {
  const arkade = networks.arkade();
  return arkade.state === 'connected'
    ? arkade.facts.info
    : refuse('unavailable', 'The Arkade operator does not answer now: try again later.');
}

/** The VHTLC of a new swap: its terms, script and address. */
function vhtlcOf(
  context: ServiceContext,
  operator: OperatorInfo,
  parts: { sender: PublicKey; receiver: PublicKey; hash: Hash160; refundLocktime: Unix; clocks: ReadClocks },
  form: Pick<VhtlcTerms, 'sizeGuard'> = {},
): { vhtlc: VhtlcTerms; script: Uint8Array; address: string } {
  const delays = vhtlcDelays({
    exitDelay: operator.exitDelay,
    leg: until(earlierOf(parts.clocks), parts.refundLocktime),
    policy: context.policy,
  });
  const vhtlc: VhtlcTerms = {
    sender: xOnlyOf(parts.sender),
    receiver: xOnlyOf(parts.receiver),
    operator: operator.signer,
    hash: parts.hash,
    refundLocktime: parts.refundLocktime,
    ...delays,
    ...form,
  };
  const script = vhtlcOutput(vhtlc);
  const address = encodeArkadeAddress({
    prefix: arkadePrefix(context.config.network),
    operator: operator.signer as XOnly,
    outputKey: script.outputKey,
  });
  return { vhtlc, script: script.pkScript, address };
}
