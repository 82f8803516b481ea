import { expect, test } from 'vitest';
import { readChain } from './support/chain-reader.ts';

const account = `0x${'ab'.repeat(20)}`;

/** A chain on which a transaction of the account is in block 10 and, once it was reorganised, in a later one. */
function chainOf({ later }: { readonly later: number }) {
  let tip = 20;
  let branch = 'a';
  const hash = (n: number): string => (n < 10 ? `0x${n}` : `0x${branch}${n}`);
  const mine = { hash: '0x77', from: account, nonce: '0x0', to: account, input: '0x' };
  const block = (n: number) => ({
    hash: hash(n),
    parentHash: hash(n - 1),
    transactions: n === (branch === 'a' ? 10 : later) ? [mine] : [],
  });
  return {
    /** Called before each question for a block. */
    before: (_: number): void => undefined,
    reorganise(height: number) {
      branch = 'b';
      tip = height;
    },
    async ask(method: string, ...[height]: readonly unknown[]): Promise<unknown> {
      if (method === 'eth_blockNumber') return tip;
      if (method === 'eth_getTransactionReceipt') return { status: '0x1' };
      this.before(Number(height));
      return Number(height) > tip ? null : block(Number(height));
    },
  };
}

test('a block that was replaced after it was read is read anew, however deep it lies by then', async () => {
  const chain = chainOf({ later: 25 });
  const reader = readChain('137', account, (...question) => chain.ask(...question));
  expect((await reader.sent(account)).map(({ nonce }) => nonce)).toEqual([0]);
  chain.reorganise(200);
  expect((await reader.sent(account)).map(({ nonce }) => nonce)).toEqual([0]);
});

test('a chain that changes while it is read shows no transaction twice', async () => {
  const chain = chainOf({ later: 11 });
  const reader = readChain('137', account, (...question) => chain.ask(...question));
  chain.before = (height) => {
    if (height === 11) chain.reorganise(21);
  };
  expect((await reader.sent(account)).map(({ nonce }) => nonce)).toEqual([0]);
});
