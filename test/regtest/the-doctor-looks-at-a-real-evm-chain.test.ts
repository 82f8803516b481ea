import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Keys } from '../../engine/adapters/keys/keys.ts';
import { sealSeed } from '../../main/keyfile.ts';
import { seedPath } from '../../main/seed.ts';
import { doctorRows } from '../../main/doctor.ts';
import { freePort } from './kit/daemon.ts';
import { evmNames, startEvmChain, type EvmChainOfStage } from './kit/evm-chain.ts';
import { onEachEvm } from './kit/on-daemons.ts';
import { keysOf } from './kit/stage.ts';

type Json = Readonly<Record<string, unknown>>;

onEachEvm('the doctor on an EVM chain', (over) => {
  let chain: EvmChainOfStage;
  let folder: string;
  let keys: Keys;

  beforeAll(async () => {
    chain = await startEvmChain(over);
    folder = mkdtempSync(join(tmpdir(), 'sluice-doctor-evm-'));
    const entropy = new Uint8Array(16).fill(0x3d);
    keys = await keysOf(entropy);
    await sealSeed(seedPath(folder), entropy, [{ way: 'passphrase', passphrase: Buffer.from('regtest') }]);
    writeFileSync(join(folder, 'passphrase'), 'regtest', { mode: 0o600 });
  });
  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true });
    await chain?.stop();
  });

  /**
   * All that it says of chains of tokens, latencies left out, with these changed in what an owner writes down of ours.
   */
  async function rows(change: Json = {}, chainId: number = chain.chainId): Promise<string[]> {
    const config = join(folder, 'sluice.json');
    const own = { ...chain.config[137], ...change };
    writeFileSync(config, JSON.stringify({ network: 'regtest', dataDir: folder, evm: { [chainId]: own } }));
    const all = await doctorRows({ config, dataDir: null, passphraseFile: join(folder, 'passphrase') }, {});
    return all
      .filter(({ network, check }) => network === `evm:${chainId}` && check !== 'latency')
      .map(({ check, result, sentence }) => `${result} ${check}: ${sentence}`);
  }

  const faults = async (...how: Parameters<typeof rows>): Promise<string[]> =>
    (await rows(...how)).filter((row) => !row.startsWith('pass'));
  const at = (url: string) => `The RPC at ${new URL(url).host}`;

  test('a good chain passes, by the name of its program, and with gas only once there is some', async () => {
    const poor = await faults();
    await chain.endow(keys);
    const [good, rest] = [await rows(), await faults()];
    expect(good).toEqual(
      expect.arrayContaining([
        expect.stringMatching(
          new RegExp(`^pass connection: .* answers as ${over}/v?${evmNames[over].split(' ')[1]}`, 'i'),
        ),
        expect.stringMatching(/^pass network: .* is on Polygon \(chain 137\)/),
        expect.stringMatching(/^pass sync: .* its last block is .* old\.$/),
        expect.stringMatching(/^pass contracts: HTLCErc20 .* is the one of this build/),
        expect.stringMatching(/^pass contracts: HTLCCoordinator .* is the one of this build/),
        expect.stringMatching(/^pass gas: /),
      ]),
    );
    expect([poor.filter((row) => !rest.includes(row)), rest.filter((row) => row.startsWith('fail'))]).toEqual([
      [expect.stringMatching(/^fail gas: The account .* has 0 coins of Polygon \(chain 137\) for gas/)],
      [],
    ]);
  });

  test('each broken configuration is named in a sentence', async () => {
    const closed = `http://127.0.0.1:${await freePort()}`;
    const nothing = `0x${'51'.repeat(20)}`;
    const both = { htlc: chain.htlc, coordinator: chain.coordinator };
    const failing = async (...how: Parameters<typeof rows>) =>
      (await faults(...how)).filter((row) => row.startsWith('fail'));
    // A coordinator serves the one HTLC that it was made for.
    const coordinator: unknown = expect.stringMatching(/^fail contracts: HTLCCoordinator .* is another contract/);
    expect({
      'a closed port': await failing({ rpc: [closed] }),
      'one of two away': await failing({ rpc: [chain.rpcUrl, closed] }),
      'another chain': await failing({}, 42_161),
      'a contract that is not there': await failing({ contracts: { ...both, htlc: nothing } }),
      'a contract that is another': await failing({ contracts: { ...both, htlc: chain.pegged } }),
      'the same twice': await failing({ rpc: [chain.rpcUrl, chain.rpcUrl.replace('127.0.0.1', 'localhost')] }),
    }).toEqual({
      'a closed port': [
        expect.stringMatching(`^fail connection: The RPC at .* does not answer, nothing listens there`),
      ],
      'one of two away': [expect.stringMatching(/^fail connection: .* does not answer, nothing listens there/)],
      'another chain': [expect.stringContaining(`${at(chain.rpcUrl)} is on Polygon (chain 137)`)],
      'a contract that is not there': [
        expect.stringMatching(
          /^fail contracts: HTLCErc20 .* is not there: deploy it by the checklist or npm run deploy-contracts/,
        ),
        coordinator,
      ],
      'a contract that is another': [
        expect.stringMatching(/^fail contracts: HTLCErc20 .* is another contract: correct evm\.137\.contracts/),
        coordinator,
      ],
      'the same twice': [],
    });
  });
});
