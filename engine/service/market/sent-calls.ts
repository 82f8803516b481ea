import { refuse, type Refusal } from '../../domain/errors.ts';
import type { EvmAddress } from '../../domain/evm.ts';
import { approveCall } from '../../legs/evm/calls.ts';
import type { Call } from '../../legs/evm/contracts.ts';
import { judgeExchange } from '../../quote/exchange.ts';
import type { Market } from './market.ts';

/**
 * The calls of a claim with the exchange that its client sends back: our approval of what was locked, and the client's call if it is
 * one of ours. Never a new one: the signature covers these.
 */
export function sentCalls(
  { dex, chainId }: Market,
  { sent, token, amount }: { readonly sent: Call; readonly token: EvmAddress; readonly amount: bigint },
): readonly Call[] | Refusal {
  if (dex === null)
    return refuse('unavailable', `Nothing is exchanged on chain ${chainId} now: try again later, or claim alone.`);
  const wrong = judgeExchange(sent, dex.rules);
  if (wrong !== null) return wrong;
  const { to, value, data } = approveCall(token, dex.rules.router, amount);
  return [{ target: to, value, data }, sent];
}
