import type { Hash160, PublicKey, XOnly } from '../domain/hash.ts';
import { xOnlyOf } from '../domain/hash.ts';
import type { SwapStatus } from '../domain/status.ts';
import { earlierOf, until, type ReadClocks, type Unix } from '../domain/time.ts';
import { arkadePrefix, encodeArkadeAddress } from '../legs/arkade/address.ts';
import type { OperatorInfo } from '../legs/arkade/operator.ts';
import { vhtlcScript } from '../legs/arkade/script.ts';
import type { VhtlcTerms } from '../legs/arkade/terms.ts';
import { vhtlcDelays } from '../legs/timelocks.ts';
import type { ServiceContext } from './context.ts';

const lockedAway: ReadonlySet<SwapStatus> = new Set(['serverfunded', 'clientredeeming']);

/** Whether a lock of ours is not in the wallet any more, and not the client's yet. */
export function isLockedAway(status: SwapStatus): boolean {
  return lockedAway.has(status);
}

/** The VHTLC of a new swap: its terms, script and address. */
export function vhtlcOf(
  context: ServiceContext,
  operator: OperatorInfo,
  parts: { sender: PublicKey; receiver: PublicKey; hash: Hash160; refundLocktime: Unix; clocks: ReadClocks },
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
  };
  const script = vhtlcScript(vhtlc);
  const address = encodeArkadeAddress({
    prefix: arkadePrefix(context.config.network),
    operator: operator.signer as XOnly,
    outputKey: script.outputKey,
  });
  return { vhtlc, script: script.pkScript, address };
}
