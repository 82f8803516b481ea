import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { type Hex, toHex } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deployContracts } from '../../engine/adapters/evm/deploy.ts';
import { isRefusal } from '../../engine/domain/errors.ts';
import { fromHex } from '../../engine/domain/hex.ts';
import { published } from '../../engine/legs/evm/deployments.ts';
import { permit2Code } from './kit/artifacts.ts';
import { type Chain, openChain } from './kit/chain.ts';
import { account, permit2Address } from './kit/signing.ts';

const key = fromHex('c1'.repeat(32));
const owner = account('c1');

let folder: string;
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'sluice-deploy-'))));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const onSent = (): void => undefined;

async function onChain(chainId: number, test: (chain: Chain) => Promise<void>): Promise<void> {
  const chain = await openChain(chainId);
  try {
    await chain.setBalance(owner.address, 10n ** 18n);
    await test(chain);
  } finally {
    await chain.stop();
  }
}

function statesOf(report: Awaited<ReturnType<typeof deployContracts>>): readonly string[] {
  if (isRefusal(report)) throw new Error(report.sentence);
  return report.contracts.map(({ name, was }) => `${name}: ${was}`);
}

describe('deployContracts', () => {
  it.each([
    [137, ['HTLCErc20', 'HTLCCoordinator']],
    [31, ['HTLCNative', 'HTLCNativeCoordinator']],
  ] as const)('rehearses, deploys and finds again the pair of chain %i', (chainId, names) =>
    onChain(chainId, async (chain) => {
      if (chainId === 137) await chain.setCode(permit2Address, permit2Code());
      const options = { rpc: chain.url, chainId, key, onSent };
      expect(statesOf(await deployContracts({ ...options, send: false }))).toEqual(
        names.map((name) => `${name}: not sent`),
      );
      expect(statesOf(await deployContracts({ ...options, send: true }))).toEqual(
        names.map((name) => `${name}: deployed`),
      );
      expect(statesOf(await deployContracts({ ...options, send: true }))).toEqual(
        names.map((name) => `${name}: there`),
      );
    }),
  );

  it('stands at the same address on every chain', () =>
    onChain(137, (one) =>
      onChain(1, async (other) => {
        const addresses = [];
        for (const chain of [one, other]) {
          await chain.setCode(permit2Address, permit2Code());
          const report = await deployContracts({ rpc: chain.url, chainId: null, key, send: false, onSent });
          if (!isRefusal(report)) addresses.push(report.contracts.map(({ address }) => address));
        }
        expect(addresses[0]).toEqual(addresses[1]);
        expect(addresses[0]).toHaveLength(2);
      }),
    ));

  it('refuses another chain than the one meant, and one that lacks Permit2 or has something else there', () =>
    onChain(137, async (chain) => {
      const options = { rpc: chain.url, key, send: true, onSent };
      const refusals = [
        await deployContracts({ ...options, chainId: 1 }),
        await deployContracts({ ...options, chainId: 137 }),
      ];
      await chain.setCode(permit2Address, '0x00');
      refusals.push(await deployContracts({ ...options, chainId: 137 }));
      const sentences = refusals.map((refusal) => (isRefusal(refusal) ? refusal.sentence : ''));
      expect(sentences[0]).toBe('The endpoint is on chain 137, not on 1: give the URL of one of 1.');
      expect(sentences[1]).toMatch(/^Chain 137 lacks Permit2 at /);
      expect(sentences[2]).toMatch(/is not Permit2\.$/);
    }));

  it('takes nothing that stands in the place of a contract for it', () =>
    onChain(137, async (chain) => {
      await chain.setCode(permit2Address, permit2Code());
      const options = { rpc: chain.url, chainId: 137, key, onSent };
      const report = await deployContracts({ ...options, send: true });
      if (isRefusal(report)) throw new Error(report.sentence);
      const { address } = report.contracts[0]!;
      const at: Hex = toHex(address);
      const code = (await chain.client.getCode({ address: at })) ?? '0x';
      await chain.setCode(at, `${code.slice(0, -2)}ff` as Hex);
      expect(await deployContracts({ ...options, send: false })).toMatchObject({ refusal: 'invalid' });
    }));
});

it('the command rehearses, and refuses a key that others can read', () =>
  onChain(31, async (chain) => {
    const file = join(folder, 'key');
    writeFileSync(file, `0x${'c1'.repeat(32)}\n`);
    chmodSync(file, 0o644);
    const program = join(import.meta.dirname, '..', '..', 'main', 'cli', 'deploy-contracts.ts');
    const run = () => promisify(execFile)(process.execPath, [program, '--rpc', chain.url, '--key-file', file]);
    await expect(run()).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining('can be read by others') as string,
    });
    chmodSync(file, 0o600);
    const { stdout } = await run();
    expect(stdout).toMatch(/HTLCNative 0x[0-9a-f]{40}: not sent\.[\s\S]*This was a rehearsal/);
    expect(await chain.client.getTransactionCount({ address: owner.address })).toBe(0);
  }));

it('the published pairs name no address twice', () => {
  const addresses = published.flatMap(({ htlc, coordinator }) => [toHex(htlc), toHex(coordinator)]);
  expect(new Set(addresses).size).toBe(addresses.length);
});
