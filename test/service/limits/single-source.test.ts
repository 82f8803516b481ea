import { expect, test } from 'vitest';
import { network } from '../../runtime/evm/scene.ts';
import { createEvmChain } from '../../support/evm-chain.ts';
import type { ServiceContext } from '../../../engine/service/context.ts';
import { aboveSingleSource } from '../../../engine/service/limits/single-source.ts';

/** A chain of which so many RPCs are the owner's or others', and some are away. */
function refusedOn(rpcs: readonly (readonly ['own' | 'other', 'answers' | 'away'])[], value: bigint): string | null {
  const port = {
    ...createEvmChain(network).port(new Uint8Array(32).fill(1)),
    rpcs: () => rpcs.map(([whose, how]) => ({ name: 'x', own: whose === 'own', failure: how === 'away' ? how : null })),
  };
  const context = {
    runtime: { ports: { [network]: port } },
    config: { evm: { '137': { rpc: rpcs.map(() => 'http://127.0.0.1:1'), agreeAboveSats: 1_000 } } },
  } as unknown as ServiceContext;
  return aboveSingleSource(context, network, value)?.refusal ?? null;
}

test('fault 49, evm: above one word nothing new is begun while those are away who must agree', () => {
  const [other, own] = [['other', 'answers'] as const, ['own', 'answers'] as const];
  const away = ['other', 'away'] as const;
  const above = [
    [other],
    [other, other],
    [other, away],
    [other, other, away],
    [other, away, away],
    [other, other, away, away],
  ];
  const withOwn = [
    [own, other],
    [own, away],
    [other, other, ['own', 'away'] as const],
  ];
  expect([
    above.map((rpcs) => refusedOn(rpcs, 1_001n)),
    withOwn.map((rpcs) => refusedOn(rpcs, 1_001n)),
    [...above, ...withOwn].map((rpcs) => refusedOn(rpcs, 1_000n)).filter((refusal) => refusal !== null),
  ]).toEqual([
    ['invalid', null, 'unavailable', null, 'unavailable', 'unavailable'],
    [null, 'unavailable', 'unavailable'],
    [],
  ]);
});
