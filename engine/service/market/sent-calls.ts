import { refuse, type Refusal } from '../../domain/errors.ts';
import type { EvmAddress } from '../../domain/evm.ts';
import type { BridgeTerms } from '../../legs/evm/bridge.ts';
import { approveCall } from '../../legs/evm/calls.ts';
import type { Call } from '../../legs/evm/contracts.ts';
import { onwardCall } from '../../quote/bridge.ts';
import { judgeExchange } from '../../quote/exchange.ts';
import type { Market } from './market.ts';

/**
 * The calls of a claim with the exchange that its client sends back: our approval of what was locked, and the client's
 * call if it is one of ours. Never a new one: the signature covers these.
 */
export function sentCalls(
  { dex, bridge, chainId }: Market,
  {
    sent,
    token,
    amount,
    onward,
  }: {
    readonly sent: Call;
    readonly token: EvmAddress;
    readonly amount: bigint;
    /** Where it goes on to; null where it stays. */
    readonly onward: BridgeTerms | null;
  },
): readonly Call[] | Refusal {
  if (dex === null)
    return refuse('unavailable', `Nothing is exchanged on chain ${chainId} now: try again later, or claim alone.`);
  const wrong = judgeExchange(sent, dex.rules);
  if (wrong !== null) return wrong;
  const { to, value, data } = approveCall(token, dex.rules.router, amount);
  const calls = [{ target: to, value, data }, sent];
  if (onward === null) return calls;
  return bridge === null
    ? refuse('unavailable', `USDC is not sent on from chain ${chainId} now: try again later, or claim alone.`)
    : [...calls, onwardCall(bridge, onward)];
}
