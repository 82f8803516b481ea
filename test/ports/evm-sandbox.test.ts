import { toHex } from 'viem';
import places from '../../resources/sandbox/evm-places.json' with { type: 'json' };
import { connectEvm } from '../../engine/adapters/evm/connect.ts';
import { asEvmAddress } from '../../engine/domain/evm.ts';
import { fromHex } from '../../engine/domain/hex.ts';
import { accountOf } from '../../engine/legs/evm/account.ts';
import { pairAt } from '../../engine/legs/evm/deployments.ts';
import { createEvmFaucet } from '../../engine/sandbox/world/evm/faucet.ts';
import { serveEvm } from '../../engine/sandbox/wire/evm.ts';
import { clockOfTests, openChain, token, zero } from '../sandbox/evm/kit.ts';
import { memoryJournal } from '../support/memory-journal.ts';
import { evmPortSuite } from './evm-suite.ts';

const key = new Uint8Array(32).fill(0x77);
const bytes = (address: string) => asEvmAddress(fromHex(address.slice(2)));

for (const chainId of [137, 31] as const)
  evmPortSuite(`the sandbox's chain ${chainId}`, async () => {
    const clock = clockOfTests();
    const chain = await openChain(memoryJournal(), clock, chainId);
    const server = await serveEvm(chain, { port: 0, legacyOnly: chainId === 31 });
    const account = toHex(accountOf(key));
    const gifts = [{ token: zero, amount: 10n ** 18n }];
    if (chainId === 137) gifts.push({ token: token('WBTC'), amount: 1_000_000n });
    await createEvmFaucet(chain).give(account, gifts);
    const { htlc, coordinator } = places[chainId];
    const contracts = pairAt(chainId, { htlc: bytes(htlc), coordinator: bytes(coordinator) });
    if (contracts === null) throw new Error('the sandbox has contracts of another version');
    const { hash } = (await chain.call('eth_getBlockByNumber', '0x0', false)) as { hash: string };
    let isMining = true;
    const mining = setInterval(() => {
      if (isMining && chain.record.waiting().length > 0) void chain.mine(1);
    }, 20);
    return {
      port: connectEvm({
        chainId,
        rpc: [server.url, server.secondUrl],
        key,
        boundTo: null,
        wall: () => clock.seconds,
      }),
      controls: {
        chainId,
        genesis: hash.slice(2),
        token: bytes(chainId === 137 ? token('WBTC') : zero),
        contracts,
        mine: async (blocks) => void (await chain.mine(blocks)),
        lockSeconds: 3_600,
        async passTo(time) {
          clock.seconds = Number(time);
          await chain.mine(1);
        },
        mineAtOnce: async (on) => void (isMining = on),
      },
      async stop() {
        clearInterval(mining);
        await server.stop();
        await chain.stop();
      },
    };
  });
