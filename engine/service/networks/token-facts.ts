import type { EvmAddress } from '../../domain/evm.ts';
import { failedOnEvm } from '../../legs/evm/failures.ts';
import type { EvmPort, TokenFacts } from '../../legs/evm/port.ts';

/**
 * What a token says of itself, and whether two RPCs said it. While one alone answers its word is for what is open, and
 * not remembered: nothing new is begun by it, for what the chain's coin costs nobody says then (facts/faults.md 114,
 * 115).
 */
export async function tokenFacts(
  port: Pick<EvmPort, 'token'>,
  token: EvmAddress,
): Promise<{ readonly facts: TokenFacts; readonly agreed: boolean }> {
  try {
    return { facts: await port.token(token, { agreed: true }), agreed: true };
  } catch (cause) {
    if (!failedOnEvm(cause, 'evm-away')) throw cause;
    return { facts: await port.token(token), agreed: false };
  }
}
