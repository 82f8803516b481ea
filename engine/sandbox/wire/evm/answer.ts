import { AnvilError, type RpcError } from '../../world/evm/anvil.ts';
import type { EvmChain } from '../../world/evm/chain.ts';
import { isHex } from '../../world/evm/hex.ts';
import { isOffered } from './methods.ts';

/** What comes back for one call. */
export type Outcome = { readonly result: unknown } | { readonly error: RpcError };

export interface RpcCall {
  readonly method: string;
  readonly params: readonly unknown[];
}

export type Answering = (call: RpcCall) => Promise<Outcome>;

export function failing(code: number, message: string): Outcome {
  return { error: { code, message } };
}

/** What an honest node of the chain answers. */
export function answering(chain: EvmChain, legacyOnly: boolean): Answering {
  return async ({ method, params }) => {
    if (!isOffered(method, legacyOnly)) return failing(-32601, `the method ${method} does not exist/is not available`);
    if (method === 'eth_sendRawTransaction' && legacyOnly && isTyped(params[0]))
      return failing(-32000, 'transaction type not supported');
    try {
      return {
        result: await (method === 'eth_sendRawTransaction' ? chain.send(params[0]) : chain.call(method, ...params)),
      };
    } catch (error) {
      if (error instanceof AnvilError) return { error: asGeth(error.error) };
      throw error;
    }
  };
}

/** Not of the oldest form, whose first byte begins a list (EIP-2718). */
function isTyped(raw: unknown): boolean {
  return isHex(raw) && Number.parseInt(raw.slice(2, 4), 16) < 0xc0;
}

/** The words of geth, which most chains run: a custom error is in the data alone. */
function asGeth({ code, message, ...rest }: RpcError): RpcError {
  if (message === 'transaction already imported') return { code: -32000, message: 'already known' };
  if (code === 3) return { code, message: message.replace(/: custom error[^]*/, ''), ...rest };
  return { code, message, ...rest };
}
