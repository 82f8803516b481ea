import { evmNetwork } from '../../domain/chain.ts';
import { isRefusal, PortFailure, refuse, type Refusal } from '../../domain/errors.ts';
import { checksummed } from '../../domain/evm-address.ts';
import type { EvmAddress } from '../../domain/evm.ts';
import { sameBytes } from '../../domain/hash.ts';
import { toHex } from '../../domain/hex.ts';
import { failedOnEvm } from '../../legs/evm/failures.ts';
import type { EvmPort, TokenFacts } from '../../legs/evm/port.ts';
import type { DexQuery, DexQuote } from '../../quote/ports.ts';
import { satsOfUnitsDown } from '../../quote/token-price.ts';
import { sureQuote } from '../../runtime/networks/evm/sure-quote.ts';
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
    const port = evmOf(runtime.ports, network);
    const { decimals, symbol, name } = await tokenOf(port, address);
    const pegged = await sureTokenOf(port, from);
    const isLittle = (quote: DexQuote): boolean => {
      const locked = sameBytes(quote.from, from) ? quote.amountIn : quote.amountOut;
      return pegged !== null && satsOfUnitsDown(locked, pegged.decimals) <= BigInt(settings.agreeAboveSats);
    };
    const quoteOf = (query: DexQuery): Promise<DexQuote | Refusal> => quoted(dex, query, isLittle);
    return {
      token: { address, decimals, symbol, name },
      slippageBps: settings.dex.slippageBps,
      async brings(locked) {
        const quote = await quoteOf({ from, to: address, pinned: 'in', amount: locked });
        return isRefusal(quote) ? quote : quote.amountOut;
      },
      async takes(locked) {
        const quote = await quoteOf({ from: address, to: from, pinned: 'out', amount: locked });
        return isRefusal(quote) ? quote : quote.amountIn;
      },
      async makes(given) {
        const quote = await quoteOf({ from: address, to: from, pinned: 'in', amount: given });
        return isRefusal(quote) ? quote : quote.amountOut;
      },
    };
  } catch (cause) {
    if (!(cause instanceof PortFailure)) throw cause;
    return refuse('unavailable', `The token does not answer on chain ${chainId} now: check it, or try again later.`);
  }
}

/** What the owner is shown, and agrees to, is no one RPC's word either. */
async function quoted(...of: Parameters<typeof sureQuote>): Promise<DexQuote | Refusal> {
  try {
    return await sureQuote(...of);
  } catch (cause) {
    if (!(cause instanceof PortFailure)) throw cause;
    return refuse('unavailable', cause.message);
  }
}

/** What a token says of itself never changes, and pages ask for it all the time. */
const read = new WeakMap<EvmPort, Map<string, TokenFacts>>();

async function tokenOf(port: EvmPort, address: EvmAddress, agreed = false): Promise<TokenFacts> {
  const remembered = read.get(port) ?? new Map<string, TokenFacts>();
  read.set(port, remembered);
  const key = `${toHex(address)} ${agreed}`;
  const facts = remembered.get(key) ?? (await port.token(address, { agreed }));
  remembered.set(key, facts);
  return facts;
}

/** By its decimals an amount is little or not: null while nobody surely knows them. */
async function sureTokenOf(port: EvmPort, address: EvmAddress): Promise<TokenFacts | null> {
  try {
    return await tokenOf(port, address, true);
  } catch (cause) {
    if (!failedOnEvm(cause, 'evm-away', 'evm-disagreement')) throw cause;
    return null;
  }
}
