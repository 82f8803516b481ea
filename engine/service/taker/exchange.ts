import { evmNetwork } from '../../domain/chain.ts';
import { isRefusal, PortFailure, refuse, type Refusal } from '../../domain/errors.ts';
import { checksummed } from '../../domain/evm-address.ts';
import type { EvmAddress } from '../../domain/evm.ts';
import { sameBytes } from '../../domain/hash.ts';
import { toHex } from '../../domain/hex.ts';
import type { EvmPort, TokenFacts } from '../../legs/evm/port.ts';
import { evmOf, exchangeOn } from '../../runtime/ports.ts';
import type { OrderedExchange } from '../../taker/evm/exchange.ts';
import type { ServiceContext } from '../context.ts';

type Context = Pick<ServiceContext, 'runtime' | 'config'>;

/**
 * The exchange that the owner set for a chain, for one token beside that of the locks: everything of it from our own
 * RPCs.
 */
export async function exchangeOf(
  { runtime, config }: Context,
  chainId: number,
  address: EvmAddress,
): Promise<OrderedExchange | Refusal> {
  const network = evmNetwork(chainId);
  const settings = config.evm[`${chainId}`];
  const dex = exchangeOn(runtime.ports, network);
  const from = settings?.peggedToken ?? null;
  if (dex === null || settings === undefined || settings.dex === null || from === null)
    return refuse(
      'invalid',
      `No exchange is set for chain ${chainId}: leave token_address out, or set evm.${chainId}.dex.`,
    );
  // Anybody may call a token of their own USDC, and make a pool for it: who knows a swap that was lost may say that it
  // was for that.
  if (!settings.tokens.some((one) => sameBytes(one, address)))
    return refuse(
      'invalid',
      `token_address is ${checksummed(address)}, which is no token of this node's: choose one of ` +
        `evm.${chainId}.tokens, or add it there.`,
    );
  try {
    const { decimals, symbol, name } = await tokenOf(evmOf(runtime.ports, network), address);
    return {
      token: { address, decimals, symbol, name },
      slippageBps: settings.dex.slippageBps,
      async brings(locked) {
        const quote = await dex.quote({ from, to: address, pinned: 'in', amount: locked });
        return isRefusal(quote) ? quote : quote.amountOut;
      },
      async takes(locked) {
        const quote = await dex.quote({ from: address, to: from, pinned: 'out', amount: locked });
        return isRefusal(quote) ? quote : quote.amountIn;
      },
      async makes(given) {
        const quote = await dex.quote({ from: address, to: from, pinned: 'in', amount: given });
        return isRefusal(quote) ? quote : quote.amountOut;
      },
    };
  } catch (cause) {
    if (!(cause instanceof PortFailure)) throw cause;
    return refuse('unavailable', `The token does not answer on chain ${chainId} now: check it, or try again later.`);
  }
}

/** What a token says of itself never changes, and pages ask for it all the time. */
const read = new WeakMap<EvmPort, Map<string, TokenFacts>>();

async function tokenOf(port: EvmPort, address: EvmAddress): Promise<TokenFacts> {
  const remembered = read.get(port) ?? new Map<string, TokenFacts>();
  read.set(port, remembered);
  const facts = remembered.get(toHex(address)) ?? (await port.token(address));
  remembered.set(toHex(address), facts);
  return facts;
}
