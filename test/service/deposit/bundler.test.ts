import { expect, test } from 'vitest';
import { parse } from '../../../engine/contract/field.ts';
import { bundlerConfigQuery } from '../../../engine/contract/requests/dex.ts';
import { bundlerConfig } from '../../../engine/service/deposit/funding.ts';

type Context = Parameters<typeof bundlerConfig>[0];

const url = 'https://bundler.example/key';
const paymaster = 'https://paymaster.example/';

function configOf(bundler: object | null): unknown {
  const context = { config: { evm: { '137': { bundler } } } } as unknown as Context;
  return bundlerConfig(context, { chainId: 137 });
}

test('facts/evm.md 24: a client is told the bundler of its chain, and whom it delegates to', () => {
  expect(configOf({ url, casing: 'snake', paymaster })).toEqual({
    entry_point: '0x0000000071727De22E5E9d8BAf0edAc6f37da032',
    delegation_target: expect.stringMatching(/^0x[0-9a-fA-F]{40}$/) as string,
    permit2: '0x000000000022D473030F116dDEE9F6B43aC78BA3',
    bundler: { url, casing: 'snake' },
    paymaster: { url: paymaster },
  });
  expect(configOf({ url, casing: 'camel', paymaster: null })).not.toHaveProperty('paymaster');
});

test('where no bundler is named, a client brings its own', () => {
  expect(configOf(null)).toMatchObject({
    refusal: 'not-found',
    sentence: expect.stringMatching(/^No bundler/) as string,
  });
  expect(bundlerConfig({ config: { evm: {} } } as unknown as Context, { chainId: 1 })).toMatchObject({
    refusal: 'not-found',
  });
});

test('any EVM chain may be named, and what is none is refused', () => {
  expect(parse(bundlerConfigQuery, { chain: '8453' })).toEqual({ chainId: 8_453 });
  expect(parse(bundlerConfigQuery, { chain: 'Arkade' })).toMatchObject({ refusal: 'invalid' });
});
