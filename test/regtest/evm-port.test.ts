import { createWalletClient, encodeDeployData, http, publicActions, toHex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { describe, expect, test } from 'vitest';
import { connectEvm } from '../../engine/adapters/evm/connect.ts';
import { create2DeployerCode } from '../../engine/adapters/evm/contracts.ts';
import { deployContracts } from '../../engine/adapters/evm/deploy.ts';
import { isRefusal } from '../../engine/domain/errors.ts';
import { asEvmAddress } from '../../engine/domain/evm.ts';
import { fromHex } from '../../engine/domain/hex.ts';
import { accountOf } from '../../engine/legs/evm/account.ts';
import { create2Deployer, ownPair, permit2 } from '../../engine/legs/evm/deployments.ts';
import { artifactOf, permit2Code } from '../contracts/kit/artifacts.ts';
import { evmPortSuite, type OpenEvm } from '../ports/evm-suite.ts';
import { temporaryFolder, until } from './kit/daemon.ts';
import { findGeth, startGeth } from './kit/geth.ts';

const key = new Uint8Array(32).fill(0x77);
const ownerKey = new Uint8Array(32).fill(0x78);
const chainId = 137;

async function open(
  program: string,
): Promise<OpenEvm & { readonly call: (method: string, ...params: unknown[]) => Promise<unknown> }> {
  const account = toHex(accountOf(key));
  const geth = await startGeth(program, temporaryFolder(), chainId, {
    [account]: { balance: toHex(10n ** 20n) },
    [toHex(accountOf(ownerKey))]: { balance: toHex(10n ** 20n) },
    [toHex(permit2)]: { balance: '0x0', code: permit2Code() },
    [toHex(create2Deployer)]: { balance: '0x0', code: create2DeployerCode },
  });
  const report = await deployContracts({ rpc: geth.url, chainId, key: ownerKey, send: true, onSent: () => undefined });
  if (isRefusal(report)) throw new Error(report.sentence);
  const client = createWalletClient({
    account: privateKeyToAccount(toHex(ownerKey)),
    transport: http(geth.url),
  }).extend(publicActions);
  const { abi, bytecode } = artifactOf('TestToken');
  const deployed = await client.sendTransaction({
    chain: null,
    data: encodeDeployData({ abi, bytecode, args: ['WBTC', 8] }),
  });
  const { contractAddress: token } = await client.waitForTransactionReceipt({ hash: deployed });
  if (!token) throw new Error('the token was not deployed');
  const given = await client.writeContract({
    chain: null,
    abi,
    address: token,
    functionName: 'mint',
    args: [account, 1_000_000n],
  });
  await client.waitForTransactionReceipt({ hash: given });
  const { hash } = await client.getBlock({ blockNumber: 0n });
  const tip = async () => client.getBlock();
  const reached = (what: string, is: (block: Awaited<ReturnType<typeof tip>>) => boolean) =>
    until(what, async () => (is(await tip()) ? true : null), { stepMs: 100, limitMs: 60_000 });
  return {
    call: geth.call,
    port: connectEvm({
      chainId,
      rpc: [geth.url],
      key,
      boundTo: null,
      wall: () => Math.floor(Date.now() / 1_000),
    }),
    controls: {
      chainId,
      genesis: hash.slice(2),
      token: asEvmAddress(fromHex(token.slice(2))),
      contracts: ownPair(chainId),
      async mine(blocks) {
        const { number } = await tip();
        await reached(`${blocks} blocks`, (block) => block.number >= number + BigInt(blocks));
      },
      lockSeconds: 8,
      passTo: async (time) => void (await reached('the time of a lock', (block) => block.timestamp >= time)),
      mineAtOnce: null,
    },
    stop: geth.stop,
  };
}

const geth = findGeth();
if ('absent' in geth) describe.skip(`geth (not run: ${geth.absent})`, () => test('the EVM port'));
else {
  evmPortSuite('geth', () => open(geth.program));

  describe('a reorganisation on geth', () => {
    test('takes the tip back with the blocks that are gone, and forward on the other branch', async () => {
      const { port, call, controls, stop } = await open(geth.program);
      try {
        for (let i = 0; i < 4; i++) {
          await controls.mine(1);
          await port.tip();
        }
        const before = await port.tip();
        await call('debug_setHead', toHex(before.height - 3));
        const other = await until(
          'the other branch',
          async () => {
            const tip = await port.tip();
            return tip.hash === before.hash || tip.height < before.height ? null : tip;
          },
          { stepMs: 200 },
        );
        expect(other.height).toBeGreaterThanOrEqual(before.height);
        expect(port.disagreement()).toBeNull();
      } finally {
        await stop();
      }
    });
  });
}
