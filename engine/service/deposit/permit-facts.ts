import type { Permit2Funding } from '../../contract/records/evm.ts';
import type { EvmAddress } from '../../domain/evm.ts';
import { toHex } from '../../domain/hex.ts';
import { permitDomain, permitNonce } from '../../legs/evm/client-calls.ts';
import { permit2 } from '../../legs/evm/deployments.ts';
import { failedOnEvm } from '../../legs/evm/failures.ts';
import type { EvmPort } from '../../legs/evm/port.ts';

/**
 * Whether Permit2 may take a client's token already, and what the client signs for the token where it may not
 * (EIP-2612).
 */
export async function permitFacts(
  port: EvmPort,
  token: EvmAddress,
  owner: EvmAddress,
  amount: bigint,
): Promise<NonNullable<Permit2Funding['eip2612']>> {
  async function ask(question: ReturnType<typeof permitDomain>): Promise<string | null> {
    try {
      const answer = await port.read(question, { by: 'funding' });
      return answer.length === 32 ? toHex(answer) : null;
    } catch (cause) {
      // A token without permits has no such function.
      if (failedOnEvm(cause, 'evm-reverted', 'evm-unclear')) return null;
      throw cause;
    }
  }
  const [allowed, nonce, domain] = await Promise.all([
    port.allowance(token, owner, permit2, 0n, 'funding'),
    ask(permitNonce(token, owner)),
    ask(permitDomain(token)),
  ]);
  const already_approved = allowed >= amount;
  const count = nonce === null ? null : Number(BigInt(`0x${nonce}`));
  return count === null || domain === null || !Number.isSafeInteger(count)
    ? { supported: false, already_approved, nonce: 0, domain_separator: `0x${'00'.repeat(32)}` }
    : { supported: true, already_approved, nonce: count, domain_separator: `0x${domain}` };
}
