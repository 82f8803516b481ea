import { expect, it } from 'vitest';
import { isRefusal } from '../../engine/domain/errors.ts';
import { asEvmAddress } from '../../engine/domain/evm.ts';
import { toHex } from '../../engine/domain/hex.ts';
import { judgeOnward, judgeRecipient, refuseInbound } from '../../engine/quote/bridge.ts';
import type { BridgePort } from '../../engine/quote/ports.ts';

const at = (byte: number) => asEvmAddress(new Uint8Array(20).fill(byte));
const bridge: BridgePort = {
  chainId: 42161,
  usdc: at(1),
  adapter: at(2),
  fees: { ethereum: 1_250_000, others: 200_000 },
  stands: () => Promise.resolve(true),
};
const usdcOnBase = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';
const sentenceOf = (answer: unknown) => (isRefusal(answer) ? `${answer.refusal}: ${answer.sentence}` : 'goes on');

it('USDC goes on to an EVM chain by its exact name, for what bringing it there costs', () => {
  const onward = ['Base', 'Ethereum', 'World Chain'].map((name) => judgeOnward(bridge, name, null));
  expect(onward.map((one) => (isRefusal(one) ? one.sentence : [one.to.domain, one.fee]))).toEqual([
    [6, 200_000n],
    [0, 1_250_000n],
    [14, 200_000n],
  ]);
  expect(sentenceOf(judgeOnward(bridge, 'Base', usdcOnBase))).toBe('goes on');
});

it('what bringing it there costs is as the owner set it', () => {
  const dear = { ...bridge, fees: { ethereum: 3_000_000, others: 450_000 } };
  const onward = ['Base', 'Ethereum'].map((name) => judgeOnward(dear, name, null));
  expect(onward.map((one) => (isRefusal(one) ? one.sentence : [one.fee, one.rate.flatWithSetup]))).toEqual([
    [450_000n, 450_000n],
    [3_000_000n, 3_000_000n],
  ]);
});

it('what is no way for USDC is refused with a sentence: unknown, its own, Solana, another token', () => {
  expect([
    sentenceOf(judgeOnward(bridge, 'base', null)),
    sentenceOf(judgeOnward(bridge, 'Rootstock', null)),
    sentenceOf(judgeOnward(bridge, 'Arbitrum', null)),
    sentenceOf(judgeOnward(bridge, 'Solana', null)),
    sentenceOf(judgeOnward(bridge, 'Base', `0x${'11'.repeat(20)}`)),
    sentenceOf(judgeOnward(null, 'Base', null)),
    sentenceOf(refuseInbound('Solana')),
    sentenceOf(refuseInbound('Nowhere')),
  ]).toEqual([
    expect.stringContaining('invalid: bridge_target_chain cannot be "base"'),
    expect.stringContaining('cannot be "Rootstock"'),
    expect.stringContaining('The swap is on Arbitrum itself'),
    expect.stringContaining('cannot be Solana: USDC is sent on to EVM chains alone'),
    expect.stringContaining('is not USDC on Base'),
    expect.stringContaining('is not sent on from this chain'),
    expect.stringContaining('USDC that arrives from Solana is not taken here'),
    expect.stringContaining('bridge_source_chain cannot be "Nowhere"'),
  ]);
});

it('a recipient that cannot be parsed is refused before anything is made', () => {
  const onward = judgeOnward(bridge, 'Base', null);
  if (isRefusal(onward)) throw new Error(onward.sentence);
  const good = judgeRecipient(onward, `0x${'ab'.repeat(20)}`);
  expect(isRefusal(good) ? good.sentence : toHex(good)).toBe(`${'00'.repeat(12)}${'ab'.repeat(20)}`);
  const bad = ['0xab', `0x${'00'.repeat(20)}`, 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', ''];
  expect(bad.map((text) => sentenceOf(judgeRecipient(onward, text)).slice(0, 44))).toEqual(
    bad.map(() => 'invalid: The recipient is no address on Base'),
  );
});
