import { chainIdOf, type EvmNetwork } from '../../../domain/chain.ts';
import type { EvmAddress } from '../../../domain/evm.ts';
import type { Preimage } from '../../../domain/hash.ts';
import type { Permit } from '../../../legs/evm/acts.ts';
import { callsHash } from '../../../legs/evm/calls-hash.ts';
import { permitDomain, permitNonce } from '../../../legs/evm/client-calls.ts';
import type { Call, EvmSignature, SwapContracts } from '../../../legs/evm/contracts.ts';
import { permit2 } from '../../../legs/evm/deployments.ts';
import {
  collabRefundDigest,
  everything,
  permitDigest,
  redeemDigest,
  tokenPermitDigest,
  type SignedOn,
} from '../../../legs/evm/digests.ts';
import { failedOnEvm } from '../../../legs/evm/failures.ts';
import type { EvmPort } from '../../../legs/evm/port.ts';
import type { LockTerms } from '../../../legs/evm/swap-key.ts';
import type { TakerClaim, TakerFunding } from '../../../legs/evm/taker-acts.ts';
import type { TakerEvmKey } from '../../../legs/evm/taker-key.ts';
import { evmOf, takerAccountsOf, type Ports } from '../../ports.ts';

/*
 * What the taker signs on EVM chains: each signature is made from what the machine verified, and from what the chain
 * itself says.
 */

type TakerPorts = Pick<Ports, EvmNetwork | 'takerAccounts'>;

/** Where a signature counts, and nowhere else. */
export interface SignedFor {
  readonly network: EvmNetwork;
  readonly contracts: SwapContracts;
}

/** What a funding gives Permit2 to take, and the calls that make the token of the lock of it. */
export interface Given {
  readonly token: EvmAddress;
  readonly amount: bigint;
  readonly calls: readonly Call[];
}

/** Whether what is signed is worth so little that the word of one RPC is enough while others are silent. */
export interface Worth {
  readonly bySingleSource: boolean;
}

function signedOn({ network, contracts }: SignedFor): SignedOn {
  return { chainId: chainIdOf(network), contracts };
}

export function signClaim(where: SignedFor, claim: TakerClaim, preimage: Preimage, ports: TakerPorts): EvmSignature {
  const { lock, destination, sweepToken, minAmountOut, calls, key } = claim;
  const payout = { destination, sweepToken, minAmountOut, callsHash: callsHash(calls) };
  return takerAccountsOf(ports).sign(redeemDigest(signedOn(where), { lock, preimage, ...payout }), key);
}

/** `caller`: whoever will send it. */
export function signRefund(
  where: SignedFor,
  refund: { readonly lock: LockTerms; readonly caller: EvmAddress; readonly key: TakerEvmKey },
  ports: TakerPorts,
): EvmSignature {
  return takerAccountsOf(ports).sign(collabRefundDigest(signedOn(where), refund), refund.key);
}

/** What is given, with the calls that its signature covers, and the token's own permit where Permit2 needs one. */
export async function signFunding(
  where: SignedFor,
  { lock, nonce, deadline, key, bySingleSource }: TakerFunding & Worth,
  { token, amount, calls }: Given,
  ports: TakerPorts,
): Promise<Permit> {
  const accounts = takerAccountsOf(ports);
  const depositor = accounts.accountOf(key);
  const permit = { token, amount, nonce, deadline };
  const digest = permitDigest(signedOn(where), { lock, permit, callsHash: callsHash(calls) });
  const { v, r, s } = accounts.sign(digest, key);
  const port = evmOf(ports, where.network);
  const question = await tokenQuestion(port, { ...permit, owner: depositor, bySingleSource });
  return {
    ...permit,
    depositor,
    signature: Uint8Array.of(...r, ...s, v),
    ...(question === null
      ? {}
      : { tokenPermit: { value: everything, deadline, signature: accounts.sign(question, key) } }),
  };
}

interface TokenPermitTerms extends Worth {
  readonly token: EvmAddress;
  readonly owner: EvmAddress;
  readonly amount: bigint;
  readonly deadline: bigint;
}

/**
 * What the token wants signed before Permit2 may take it; null where it may already, or the token takes no signature
 * (EIP-2612). By the word of one RPC alone what is signed may be worth nothing: of little it is enough while others are
 * silent (facts/faults.md 320).
 */
export async function tokenQuestion(
  port: Pick<EvmPort, 'sureAllowance' | 'read'>,
  { token, owner, amount, deadline, bySingleSource }: TokenPermitTerms,
): Promise<Uint8Array | null> {
  if ((await port.sureAllowance(token, owner, permit2)) >= amount) return null;
  const [nonce, domain] = await Promise.all([
    wordOf(port, permitNonce(token, owner), bySingleSource),
    wordOf(port, permitDomain(token), bySingleSource),
  ]);
  if (nonce === null || domain === null) return null;
  return tokenPermitDigest(domain, { owner, nonce: countIn(nonce), deadline });
}

function countIn(word: Uint8Array): bigint {
  return word.reduce((value, byte) => value * 256n + BigInt(byte), 0n);
}

/** A token without permits has no such function. */
async function wordOf(
  port: Pick<EvmPort, 'read'>,
  question: ReturnType<typeof permitDomain>,
  bySingleSource: boolean,
  agreed = true,
): Promise<Uint8Array | null> {
  try {
    const answer = await port.read(question, { agreed });
    return answer.length === 32 ? answer : null;
  } catch (cause) {
    if (failedOnEvm(cause, 'evm-reverted', 'evm-unclear')) return null;
    if (agreed && bySingleSource && failedOnEvm(cause, 'evm-away'))
      return wordOf(port, question, bySingleSource, false);
    throw cause;
  }
}
