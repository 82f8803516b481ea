import type { EvmAddress } from '../../domain/evm.ts';
import { failedOnEvm } from '../../legs/evm/failures.ts';
import type { ChosenBy, EvmPort, TokenFacts } from '../../legs/evm/port.ts';

/**
 * What a token says of itself, and whether two RPCs said it. While one alone answers its word is for what is open, and
 * not remembered: nothing new is begun by it, for what the chain's coin costs nobody says then (facts/faults.md 114,
 * 115). `by`: who chose it; where no RPC is silent to anybody else, one alone says no more of it.
 */
export async function tokenFacts(
  port: Pick<EvmPort, 'token' | 'rpcs'>,
  token: EvmAddress,
  by?: ChosenBy,
): Promise<{ readonly facts: TokenFacts; readonly agreed: boolean }> {
  const how = by === undefined ? {} : { by };
  try {
    return { facts: await port.token(token, { agreed: true, ...how }), agreed: true };
  } catch (cause) {
    if (!failedOnEvm(cause, 'evm-away')) throw cause;
    if (by !== undefined && port.rpcs().every(({ failure }) => failure === null)) throw cause;
    return { facts: await port.token(token, how), agreed: false };
  }
}
