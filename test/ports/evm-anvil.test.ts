import { toHex } from 'viem';
import { asEvmAddress } from '../../engine/domain/evm.ts';
import { fromHex } from '../../engine/domain/hex.ts';
import { connectEvm } from '../../engine/adapters/evm/connect.ts';
import { accountOf } from '../../engine/legs/evm/account.ts';
import { give, openErc20 } from '../contracts/kit/erc20.ts';
import { evmPortSuite } from './evm-suite.ts';

const key = new Uint8Array(32).fill(0x77);
const gwei = 1_000_000_000;

const bytes = (address: string) => asEvmAddress(fromHex(address.slice(2)));

for (const rpcs of [1, 2])
  evmPortSuite(`anvil by ${rpcs} RPC`, async () => {
    const { chain, htlc, coordinator, btc } = await openErc20(137, gwei);
    const account = toHex(accountOf(key));
    await chain.setBalance(account, 10n ** 20n);
    await give(chain, btc, account, 1_000_000n);
    const { hash } = await chain.client.getBlock({ blockNumber: 0n });
    return {
      port: connectEvm({
        chainId: 137,
        rpc: Array.from({ length: rpcs }, () => chain.url),
        key,
        boundTo: null,
        wall: () => Math.floor(Date.now() / 1_000),
      }),
      controls: {
        chainId: 137,
        genesis: hash.slice(2),
        token: bytes(btc.address),
        contracts: {
          kind: 'erc20',
          htlc: bytes(htlc.address),
          coordinator: bytes(coordinator.address),
          htlcVersion: '4',
          coordinatorVersion: '3',
        },
        mine: async (blocks) => void (await chain.rpc('anvil_mine', [toHex(blocks)])),
        lockSeconds: 3_600,
        passTo: (time) => chain.moveTo(time),
        mineAtOnce: async (on) => void (await chain.rpc('evm_setAutomine', [on])),
      },
      stop: chain.stop,
    };
  });
