import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { createPublicClient, createWalletClient, http, type Address, type Hex, type PublicClient } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { erc20, htlcErc20 } from '../../../engine/legs/evm/abi.ts';
import { coin, rpcOf, tokenOf } from '../../crash/support/evm-tokens.ts';
import { holding } from '../../crash/support/evm-verdict.ts';
import type { Books } from '../../crash/support/oracle.ts';
import { chainAt } from '../../stories/client/to-evm.ts';
import type { Arena } from './arena.ts';
import { count, type Kind } from './kind.ts';

/** What strangers gave to the node and to its contracts for nothing: the books know of it. */
export interface Gifts {
  arkade: bigint;
  readonly evm: Map<string, bigint>;
}

const chainId = 137;
const dust = 600;
const locked = 1_000n;
const hour = 3_600;
const lookMs = 500;
/** A transaction is sent again after so many looks, and given up after so many. */
const looksATry = 20;
const mostLooks = 300;

/** Strangers send what nobody asked for: dust to the node's wallets, and locks of which it is the receiver. */
export const gifts: Kind = async (arena, tally, isOver) => {
  const { node, stage, chance } = arena;
  const { controls } = stage.wallet;
  const { body: arkade } = await node.ask('/owner/wallets/arkade/address', {}, true);
  const { body: evm } = await node.ask(`/owner/wallets/evm:${chainId}/address`, {}, true);
  const given: Record<string, () => Promise<void>> = {
    async 'coins of dust on Arkade'() {
      await controls.arkadeFaucet({ address: String(arkade['address']), amount: dust });
      arena.gifts.arkade += BigInt(dust);
    },
    'locks of strangers': () => lockFor(arena, String(evm['address']) as Address),
  };
  while (!isOver()) {
    await pause(chance.between(1_000, 4_000));
    const what = chance.pick(Object.keys(given));
    await given[what]?.();
    count(tally, what);
  }
};

/** Under the hash of a swap that has nothing to do with the chain, or of none. */
async function lockFor({ stage, gifts: books, chance }: Arena, node: Address): Promise<void> {
  const { controls } = stage.wallet;
  const htlc = stage.endpoints.evm?.[chainId]?.htlc as Address;
  const token = tokenOf(stage, chainId, 'WBTC') as Address;
  const account = privateKeyToAccount(generatePrivateKey());
  await controls.evmFaucet(String(chainId), { address: account.address, token: coin, amount: `${10n ** 18n}` });
  await controls.evmFaucet(String(chainId), { address: account.address, token, amount: `${locked}` });
  const chain = chainAt(chainId, rpcOf(stage, chainId));
  const wallet = createWalletClient({ account, chain, transport: http() });
  const reader = createPublicClient({ chain, transport: http() });
  const { clock } = await controls.state();
  const others = stage.scenarios.filter(({ direction }) => !direction.includes('evm'));
  const hash: Hex = `0x${others.length === 0 ? randomBytes(32).toString('hex') : chance.pick(others).hash}`;
  const approve = { address: token, abi: erc20, functionName: 'approve', args: [htlc, locked], nonce: 0 } as const;
  await succeeds(reader, () => wallet.writeContract(approve));
  const args = [hash, locked, token, node, BigInt(clock + hour)] as const;
  const create = { address: htlc, abi: htlcErc20, functionName: 'create', args, nonce: 1 } as const;
  const isLocked = await succeeds(reader, () => wallet.writeContract(create));
  const contract = holding(chainId, 'htlc', token);
  if (isLocked) books.evm.set(contract, (books.evm.get(contract) ?? 0n) + locked);
}

/** Once it is mined. What the weather loses is sent again, with its own nonce: one of them is mined, and no other. */
async function succeeds(reader: PublicClient, send: () => Promise<Hex>): Promise<boolean> {
  const hashes: Hex[] = [];
  for (let look = 0; look < mostLooks; look++) {
    // Refused where an earlier one is mined or waits.
    if (look % looksATry === 0)
      await send().then(
        (hash) => hashes.push(hash),
        () => undefined,
      );
    await pause(lookMs);
    for (const hash of hashes) {
      const receipt = await reader.getTransactionReceipt({ hash }).catch(() => null);
      if (receipt !== null) return receipt.status === 'success';
    }
  }
  throw new Error(`no transaction of a stranger's is mined: ${hashes.join(', ')}`);
}

/** The books as if what strangers gave had been there from the start. */
export function withGifts(start: Books, { arkade, evm }: Gifts): Books {
  const held = new Map(start.evm);
  for (const [account, amount] of evm) held.set(account, (held.get(account) ?? 0n) + amount);
  return { ...start, arkade: start.arkade + arkade, evm: held };
}
