import { getAddress } from 'viem/utils';
import { describe, expect, it } from 'vitest';
import { probeChain, type ContractFacts } from '../../engine/adapters/evm/probe.ts';
import { ownContracts } from '../../engine/adapters/evm/contracts.ts';
import { judgeEvm, type EvmChain } from '../../engine/doctor/judge/evm.ts';
import { asEvmAddress } from '../../engine/domain/evm.ts';
import { fromHex } from '../../engine/domain/hex.ts';
import { ownPair } from '../../engine/legs/evm/deployments.ts';
import { permit2Code } from '../contracts/kit/artifacts.ts';
import { openChain } from '../contracts/kit/chain.ts';
import { permit2Address } from '../contracts/kit/signing.ts';
import { deployContracts } from '../../engine/adapters/evm/deploy.ts';

const account = asEvmAddress(fromHex('aa'.repeat(20)));
const address = asEvmAddress(fromHex('bb'.repeat(20)));

function sentencesOf(standing: EvmChain['standing'], chain: Partial<EvmChain> = {}): readonly string[] {
  const rows = judgeEvm(
    { chainId: '137', rpcs: [], account, floor: 10n ** 18n, standing, ...chain },
    { machine: 0, maxTipAge: 0 },
  );
  return rows
    .filter(({ check }) => check !== 'agreement')
    .map(({ check, result, sentence }) => `${result} ${check}: ${sentence}`);
}

describe('what stands on an EVM chain', () => {
  const of = (state: ContractFacts['state'], gas: bigint | null = null) =>
    sentencesOf({ is: 'answered', facts: { contracts: [{ name: 'HTLCErc20', address, state }], gas } });
  const place = `HTLCErc20 of Polygon (chain 137) at ${getAddress(`0x${'bb'.repeat(20)}`)}`;

  it('is ours, answers as ours, is missing or is another contract', () => {
    expect([...of('ours'), ...of('like ours'), ...of('missing'), ...of('other')]).toEqual([
      `pass contracts: ${place} is the one of this build.`,
      `warn contracts: ${place} answers as it should, with code that is not of this build: make sure that you ` +
        'know whose it is.',
      `fail contracts: ${place} is not there: deploy it by the checklist or npm run deploy-contracts, or correct evm.137.contracts.`,
      `fail contracts: ${place} is another contract: correct evm.137.contracts, money that is locked there is lost.`,
    ]);
  });

  it('has gas enough or too little for new swaps, to the wei', () => {
    const has = (coins: string) =>
      `The account ${getAddress(`0x${'aa'.repeat(20)}`)} has ${coins} coins of Polygon (chain 137) for gas`;
    expect([...of('ours', 10n ** 18n).slice(1), ...of('ours', 10n ** 18n - 1n).slice(1)]).toEqual([
      `pass gas: ${has('1')}.`,
      `fail gas: ${has('0.999999')}, and no new swap is begun below 1: send it some.`,
    ]);
  });

  it('is not judged while no RPC tells of it', () => {
    expect(sentencesOf(null)).toEqual([]);
    expect(sentencesOf({ is: 'unanswered', why: 'late', words: 'nothing came within 10 s' })).toEqual([
      'warn contracts: The contracts of Polygon (chain 137) could not be looked at (nothing came within 10 s): ' +
        'look again in some minutes.',
    ]);
  });

  it('is told from the chain itself: nothing, ours, ours with a byte changed, something else', async () => {
    const chain = await openChain(137);
    try {
      const states = async () => {
        const facts = await probeChain(chain.url, { chainId: 137, contracts: ownPair(137), account }, 10_000);
        if (facts.is === 'unanswered') throw new Error(facts.words);
        return facts.facts.contracts.map(({ state }) => state);
      };
      expect(await states()).toEqual(['missing', 'missing']);
      await chain.setCode(permit2Address, permit2Code());
      const key = new Uint8Array(32).fill(1);
      await chain.setBalance('0x1a642f0E3c3aF545E7AcBD38b07251B3990914F1', 10n ** 18n);
      await deployContracts({ rpc: chain.url, chainId: 137, key, send: true, onSent: () => undefined });
      expect(await states()).toEqual(['ours', 'ours']);
      const [htlc] = ownContracts(137);
      if (htlc === undefined) throw new Error('there is no contract of ours');
      const at = `0x${Buffer.from(htlc.address).toString('hex')}` as const;
      const code = (await chain.client.getCode({ address: at })) ?? '0x';
      await chain.setCode(at, `${code.slice(0, -2)}ff` as `0x${string}`);
      expect(await states()).toEqual(['like ours', 'ours']);
      await chain.setCode(at, permit2Code());
      expect(await states()).toEqual(['other', 'ours']);
    } finally {
      await chain.stop();
    }
  });
});
