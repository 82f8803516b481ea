import { RawTx } from '@scure/btc-signer';
import { expect, test } from 'vitest';
import { sats } from '../../engine/domain/money.ts';
import { onchainFailure } from '../../engine/legs/onchain/failures.ts';
import type { ChainCoin } from '../../engine/legs/onchain/port.ts';
import { bytesOf } from '../../engine/quote/gas.ts';
import { forbidden } from '../../engine/runtime/networks/only-if.ts';
import type { Ports } from '../../engine/runtime/ports.ts';
import { unix } from '../../engine/domain/time.ts';
import { clocksOn, network } from '../swap/arkade-evm-cases.ts';
import { fundPoint } from '../swap/bitcoin-arkade-cases.ts';
import { bitcoinEvmCase, bitcoinEvmTerms as t } from '../swap/bitcoin-evm-cases.ts';
import { lookAt, bitcoin } from '../swap/bitcoin-arkade-cases.ts';
import { start, startHeight } from '../swap/cases.ts';
import { noClaims } from './support.ts';

const now = clocksOn(start + 60);

/** The conditions under which the machine asks for the lock. */
const { effects } = bitcoinEvmCase.machine.step(t, bitcoinEvmCase.first, lookAt([bitcoin()]), now) as {
  effects: readonly { readonly onlyIf?: Parameters<typeof forbidden>[0] }[];
};
const onlyIf = effects[0]?.onlyIf ?? expect.fail('the lock hangs on nothing');

const coin: ChainCoin = { outpoint: fundPoint, script: t.htlcScript, amount: t.sourceAmount, height: startHeight };

/** What pays the coin: its input is a coin of its client, no miner's reward. */
const paying = RawTx.encode({
  version: 2,
  inputs: [{ txid: new Uint8Array(32).fill(7), index: 0, finalScriptSig: new Uint8Array(), sequence: 0xfffffffd }],
  outputs: [{ amount: t.sourceAmount, script: t.htlcScript }],
  lockTime: 0,
});

interface Answers {
  readonly coins?: readonly ChainCoin[];
  readonly spend?: object | null;
  readonly height?: number;
  readonly disagreement?: string | null;
  /** In sats per virtual byte; rejects where nobody tells. */
  readonly rate?: number | Promise<never>;
  /** Read anew with each look at the clock. */
  readonly at?: typeof now;
  /** Called with the last reading. */
  readonly last?: () => void;
}

/** Why a lock on an EVM chain may not be sent, as the Bitcoin chain answers; null where it may. */
function refusal(answers: Answers = {}, isBegun?: () => Promise<boolean>) {
  const { coins = [coin], spend = null, height = startHeight, disagreement = null, rate = 1 } = answers;
  const port = {
    tip: async () => ({ height }),
    coins: async () => coins,
    spend: async () => spend,
    async transaction() {
      answers.last?.();
      return { bytes: paying };
    },
    feeRate: async () => rate,
    disagreement: () => disagreement,
  };
  const ports = { bitcoin: port } as unknown as Ports;
  return forbidden(onlyIf, 0, { ports, clock: { now: () => answers.at ?? now }, ...noClaims }, isBegun);
}

test('a lock is sent for a coin that lies there, whole and deep enough, and waits for no other', async () => {
  expect(await refusal()).toBeNull();
  const waits: Answers[] = [{ coins: [] }, { coins: [{ ...coin, height: null }] }, { spend: {} }];
  for (const answers of waits) await expect(refusal(answers)).rejects.toThrow(/not seen unspent in a block/);
  await expect(refusal({ disagreement: 'the sources differ' })).rejects.toThrow(/the sources differ/);
  expect(await refusal({ coins: [{ ...coin, amount: sats(t.sourceAmount - 1n) }] })).toMatch(/^The coin holds/);
});

test('it is late by the clock of its own chain, whatever Bitcoin and the wall say', async () => {
  const late = { ...now, [network]: { mtp: unix(t.lockBefore + 1), height: 1_000 } };
  const elsewhere = { ...clocksOn(t.lockBefore + 1, start + 60), bitcoin: now.bitcoin };
  expect([await refusal({ at: late }), await refusal({ at: elsewhere })]).toEqual(['Too little time was left.', null]);
});

test('fault 172, bitcoin: a look that takes until the line is passed is late as well', async () => {
  const late = { ...now, [network]: { mtp: unix(t.lockBefore + 1), height: 1_000 } };
  const answers: { at?: typeof now; last(): void } = { last: () => void (answers.at = late) };
  expect(await refusal(answers)).toBe('Too little time was left.');
});

test('a coin that does not outlive our refund of the lock is given nothing for', async () => {
  const far = t.htlc.refundLocktime - t.policy.mtpLag - t.policy.margin;
  const ahead = { ...now, bitcoin: { mtp: unix(far), height: startHeight } };
  await expect(refusal({ at: ahead })).rejects.toThrow(/^The coin is sure for/);
});

test('while that clock is unread nothing is sent, and it is asked again', async () => {
  await expect(refusal({ at: clocksOn(start + 60, null) })).rejects.toThrow(/has not been read/);
});

test('fault 184, bitcoin: a lock waits while its coin is dear to claim, until it is late', async () => {
  const dear = { rate: Math.ceil(Number(t.sourceAmount) / 8 / bytesOf.claim) + 1 };
  const late = { ...now, [network]: { mtp: unix(t.lockBefore + 1), height: 1_000 } };
  await expect(refusal(dear)).rejects.toThrow(/^A claim would cost/);
  expect(await refusal({ ...dear, at: late })).toBe('Too little time was left.');
  expect(await refusal({ ...dear, coins: [{ ...coin, amount: sats(t.sourceAmount - 1n) }] })).toMatch(
    /^The coin holds/,
  );
});

test('fault 184, bitcoin: a price that nobody tells is waited for, and holds back nothing begun', async () => {
  const untold = () => ({ rate: Promise.reject(onchainFailure('bitcoin-away', 'safe', 'nobody answers')) });
  await expect(refusal(untold())).rejects.toThrow('what a claim of it costs now is not known: nobody answers');
  expect([await refusal(untold(), async () => true), await refusal({ rate: 490 }, async () => true)]).toEqual([
    null,
    null,
  ]);
});
