import { asEvmAddress, type EvmAddress } from '../../../engine/domain/evm.ts';
import { isRefusal } from '../../../engine/domain/errors.ts';
import { fromHex, toHex } from '../../../engine/domain/hex.ts';
import { exchangeOn, type Ports } from '../../../engine/runtime/ports.ts';
import { faucetAccount } from '../../../engine/sandbox/world/evm/faucet-account.ts';
import { evmNetworkOfWorld } from '../node-evm.ts';
import type { EvmWorld } from './world.ts';

/** The exchange of the sandbox's chain of tokens, as a node of the test sees it. */
export interface Market {
  token(symbol: string): EvmAddress;
  /** What so much of a token brings, or takes, of another now; zero where there is no price. */
  price(query: {
    readonly from: string;
    readonly to: string;
    readonly pinned: 'in' | 'out';
    readonly amount: bigint;
  }): Promise<bigint>;
  /** Somebody sells so much of a token that its price falls. */
  sell(from: string, to: string, units: bigint): Promise<void>;
}

export function marketOf(chain: EvmWorld, ports: () => Pick<Ports, 'exchanges'>): Market {
  const token = (symbol: string): EvmAddress => {
    const of = chain.endpoints.tokens.find((one) => one.symbol === symbol);
    if (of === undefined) throw new Error(`the sandbox has no ${symbol}`);
    return asEvmAddress(fromHex(of.address.slice(2).toLowerCase()));
  };
  const dexOf = () => {
    const dex = exchangeOn(ports(), evmNetworkOfWorld);
    if (dex === null) throw new Error('there is no exchange');
    return dex;
  };
  return {
    token,
    async price({ from, to, pinned, amount }) {
      const quote = await dexOf().quote({ from: token(from), to: token(to), pinned, amount });
      if (isRefusal(quote)) return 0n;
      return pinned === 'in' ? quote.amountOut : quote.amountIn;
    },
    async sell(from, to, units) {
      const dex = dexOf();
      const quote = await dex.quote({ from: token(from), to: token(to), pinned: 'in', amount: units });
      if (isRefusal(quote)) throw new Error(quote.sentence);
      const me = asEvmAddress(fromHex(faucetAccount.address.slice(2).toLowerCase()));
      for (const { target, data } of dex.calls(quote, 0n, me))
        await chain.call(`0x${toHex(target)}`, `0x${toHex(data)}`);
    },
  };
}
