import { expect, it } from 'vitest';
import { toHex } from '../../../engine/domain/hex.ts';
import {
  base58Key,
  bridgeChainNamed,
  bridgeChainOf,
  bridgeChains,
  mintRecipient,
} from '../../../engine/legs/evm/bridge.ts';

it('domains and names are those of the published table', () => {
  expect(Object.fromEntries(bridgeChains.map(({ name, domain }) => [name, domain]))).toEqual({
    Ethereum: 0,
    Avalanche: 1,
    Optimism: 2,
    Arbitrum: 3,
    Solana: 5,
    Base: 6,
    Polygon: 7,
    Unichain: 10,
    Linea: 11,
    Sonic: 13,
    'World Chain': 14,
    Monad: 15,
    Sei: 16,
    XDC: 18,
    HyperEVM: 19,
    Ink: 21,
  });
  expect(new Set(bridgeChains.map(({ chainId }) => chainId)).size).toBe(bridgeChains.length);
  expect(bridgeChainOf(10)?.name).toBe('Optimism');
  expect(bridgeChainNamed('XDC')).toMatchObject({ chainId: 50, usdc: '0xfa2958cb79b0491cc627c1557f441ef849ca8eb1' });
});

it('a name is compared byte for byte', () => {
  const names = ['Optimism', 'optimism', ' Optimism', 'OP', 'World Chain', 'WorldChain', 'HyperEVM', 'Rootstock', ''];
  expect(names.filter((name) => bridgeChainNamed(name) !== null)).toEqual(['Optimism', 'World Chain', 'HyperEVM']);
});

it('a recipient is an address of its own kind of chain, and never nobody', () => {
  const [base, solana] = ['Base', 'Solana'].map(bridgeChainNamed);
  if (base === null || base === undefined || solana === null || solana === undefined) throw new Error('no chain');
  const address = `0x${'ab'.repeat(20)}`;
  const key = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
  const read = (bytes: Uint8Array | null) => (bytes === null ? null : toHex(bytes));
  expect([
    read(mintRecipient(base, address)),
    read(mintRecipient(base, address.slice(0, -2))),
    read(mintRecipient(base, `0x${'00'.repeat(20)}`)),
    read(mintRecipient(base, key)),
    read(mintRecipient(solana, key)),
    read(mintRecipient(solana, address)),
    read(mintRecipient(solana, key.slice(0, -3))),
    read(base58Key('0OIl')),
  ]).toEqual([
    `${'00'.repeat(12)}${'ab'.repeat(20)}`,
    null,
    null,
    null,
    'c6fa7af3bedbad3a3d65f36aabc97431b1bbe4c2d2f6e0e47ca60203452f5d61',
    null,
    null,
    null,
  ]);
});
