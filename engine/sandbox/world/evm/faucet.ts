import type { Address, Hex } from 'viem';
import { AnvilError } from './anvil.ts';
import type { EvmChain } from './chain.ts';
import { EvmRefused } from './errors.ts';
import { quantity } from './hex.ts';

export interface Gift {
  /** The zero address for the chain's own coin. */
  readonly token: Address;
  /** Smallest units. */
  readonly amount: bigint;
}

export interface EvmFaucet {
  /** Pays an account, mined in one block; a hash for each gift. */
  give(to: Address, gifts: readonly Gift[]): Promise<readonly Hex[]>;
}

const gas = 200_000n;

export function createEvmFaucet(chain: EvmChain): EvmFaucet {
  let lastGift: Promise<unknown> = Promise.resolve();

  async function pay(to: Address, gifts: readonly Gift[]): Promise<readonly Hex[]> {
    // Loaded when somebody is paid: it takes longer than the start of a chain.
    const { faucetAccount } = await import('./faucet-account.ts');
    const calls = gifts.map(({ token, amount }) =>
      BigInt(token) === 0n
        ? { to, value: amount, data: '0x' as const }
        : { to: token, value: 0n, data: transferOf(to, amount) },
    );
    for (const [i, { value, ...call }] of calls.entries()) {
      const rehearsal = { ...call, from: faucetAccount.address, value: quantity(value), gas: quantity(gas) };
      await chain.call('eth_call', rehearsal, 'latest').catch((error: unknown) => {
        if (!(error instanceof AnvilError)) throw error;
        throw new EvmRefused(`The faucet cannot pay ${gifts[i]?.amount} of ${gifts[i]?.token}: ask for less.`);
      });
    }
    const sent = Number(await chain.call('eth_getTransactionCount', faucetAccount.address, 'pending'));
    const fees = { type: 'legacy', chainId: chain.chainId, gas, gasPrice: 2n * chain.baseFee() + 1n } as const;
    const raws = calls.map((call, i) => faucetAccount.signTransaction({ ...call, ...fees, nonce: sent + i }));
    return chain.sendAndMine(await Promise.all(raws));
  }

  return {
    // One after the other: two at once would have the same nonce.
    give(to, gifts) {
      const gift = lastGift.then(() => pay(to, gifts));
      lastGift = gift.catch(() => undefined);
      return gift;
    },
  };
}

/** `transfer(address,uint256)` of ERC-20. */
function transferOf(to: Address, amount: bigint): Hex {
  return `0xa9059cbb${to.slice(2).toLowerCase().padStart(64, '0')}${amount.toString(16).padStart(64, '0')}`;
}
