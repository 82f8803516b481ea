import { type Block, createBlock } from '@ethereumjs/block';
import { type Common, Hardfork, Mainnet, createCustomCommon } from '@ethereumjs/common';
import { createAccount, createAddressFromString, hexToBytes } from '@ethereumjs/util';
import { type VM, createVM } from '@ethereumjs/vm';
import type { Hex } from 'viem';

/** The first block as the sandbox's chains have it, in geth's form. */
export interface Genesis {
  readonly config: { readonly chainId: number };
  readonly timestamp: string;
  readonly gasLimit: string;
  readonly baseFeePerGas: string;
  readonly alloc: Readonly<
    Record<string, { balance: string; nonce: string; code?: string; storage?: Readonly<Record<string, string>> }>
  >;
}

export interface State {
  readonly vm: VM;
  readonly common: Common;
}

export async function openState(genesis: Genesis): Promise<State> {
  const { chainId } = genesis.config;
  const common = createCustomCommon({ chainId }, Mainnet, { hardfork: Hardfork.Cancun });
  const vm = await createVM({ common });
  for (const [at, { balance, nonce, code, storage }] of Object.entries(genesis.alloc)) {
    const address = createAddressFromString(at as Hex);
    await vm.stateManager.putAccount(address, createAccount({ balance: BigInt(balance), nonce: BigInt(nonce) }));
    if (code !== undefined) await vm.stateManager.putCode(address, hexToBytes(code as Hex));
    for (const [slot, value] of Object.entries(storage ?? {}))
      await vm.stateManager.putStorage(address, hexToBytes(slot as Hex), trimmed(hexToBytes(value as Hex)));
  }
  return { vm, common };
}

/** Storage holds no leading zeros. */
function trimmed(bytes: Uint8Array): Uint8Array {
  const first = bytes.findIndex((byte) => byte !== 0);
  return first < 0 ? new Uint8Array() : bytes.subarray(first);
}

export interface BlockPlace {
  readonly number: number;
  readonly timestamp: number;
  readonly baseFee: bigint;
  readonly parentHash: Hex;
}

export function blockAt({ common }: State, place: BlockPlace, stateRoot?: Uint8Array): Block {
  const { number, timestamp, baseFee, parentHash } = place;
  return createBlock(
    {
      header: {
        ...{ number, timestamp, parentHash, gasLimit: 30_000_000, baseFeePerGas: baseFee },
        ...(stateRoot === undefined ? {} : { stateRoot }),
      },
    },
    { common, skipConsensusFormatValidation: true },
  );
}
