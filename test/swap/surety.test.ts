import { expect, test } from 'vitest';
import { furthest, height, unix, type ChainClock, type Clocks } from '../../engine/domain/time.ts';
import type { EvmSourceTerms } from '../../engine/swap/halves/evm/claim/terms.ts';
import { claimOnArkade } from '../../engine/swap/halves/arkade/claim/half.ts';
import { claimOnBitcoin } from '../../engine/swap/halves/bitcoin/claim/half.ts';
import { claimOnEvm } from '../../engine/swap/halves/evm/claim/half.ts';
import { claimOnLightning } from '../../engine/swap/halves/lightning/hold/half.ts';
import type { Surety } from '../../engine/swap/halves/surety.ts';
import { bitcoinArkadeTerms } from './bitcoin-arkade-cases.ts';
import { arkadeLightningCase, lightningArkadeCase, start } from './cases.ts';
import { evmLightningCase, network } from './evm-lightning-cases.ts';

/*
 * Until when a half can wait for the end of what is given for its lock, at the border itself and one to either side, as
 * each half said it for itself.
 */

const { terms: arkade } = arkadeLightningCase;
const bitcoin = bitcoinArkadeTerms;
const evm: EvmSourceTerms = evmLightningCase.terms;
const { terms: lightning } = lightningArkadeCase;
const { margin, mtpLag, lndCancelBlocks, reactionBlocks } = arkade.policy;
const half = Math.floor(margin / 2);
const timelock = Number(evm.lock.timelock);
const expiryHeight = 900_200;
const stop = expiryHeight - lndCancelBlocks - reactionBlocks;

const onBitcoin = (chain: ChainClock): Clocks => ({ wall: start, bitcoin: chain });
const mtpAt = (at: number): Clocks => onBitcoin({ mtp: unix(at), height: 900_000 });
const evmAt = (at: number): Clocks => ({ ...mtpAt(start), [network]: { mtp: unix(at), height: 1 } });
const heightAt = (height: number): Clocks => onBitcoin({ mtp: start, height });

interface Half {
  readonly surety: Surety;
  readonly at: (moment: number) => Clocks;
  /** First moment at which it could wait no longer. */
  readonly border: number;
  readonly moments: Pick<Surety, 'back' | 'alone' | 'last'>;
  readonly isTold: boolean;
}
const halves: Readonly<Record<string, Half>> = {
  arkade: {
    surety: claimOnArkade.surely(arkade, {} as never),
    at: mtpAt,
    border: arkade.vhtlc.refundLocktime - mtpLag - half,
    moments: momentsOf(arkade.vhtlc.refundLocktime, half),
    isTold: false,
  },
  // A second later before: the line itself is where its coin is not surely ours any more.
  bitcoin: {
    surety: claimOnBitcoin.surely(bitcoin, {} as never),
    at: mtpAt,
    border: bitcoin.htlc.refundLocktime - mtpLag - margin,
    moments: momentsOf(bitcoin.htlc.refundLocktime, margin),
    isTold: true,
  },
  // Nobody asked before: what was given for it was a payment, or a coin that has an end of its own.
  evm: {
    surety: claimOnEvm.surely(evm, {} as never),
    at: evmAt,
    border: timelock - mtpLag - half,
    moments: momentsOf(timelock, half),
    isTold: true,
  },
  lightning: {
    surety: claimOnLightning.surely(lightning, { expiryHeight } as never),
    at: heightAt,
    border: stop,
    moments: { back: lightning.lockBefore, alone: height(expiryHeight - lndCancelBlocks), last: height(stop) },
    isTold: true,
  },
};

function momentsOf(alone: number, spare: number): Half['moments'] {
  return { back: unix(alone - mtpLag - margin), alone: unix(alone), last: unix(alone - mtpLag - spare) };
}

test.each(Object.keys(halves))('%s waits as long as it did', (name) => {
  const { surety, at, border, moments, isTold } = halves[name]!;
  const { back, alone, last, cannotWait, late } = surety;
  expect({ back, alone, last }).toEqual(moments);
  expect([border - 1, border, border + 1].map((moment) => cannotWait(at(moment)))).toEqual([false, true, true]);
  expect([border - 1, border].map((moment) => late(at(moment)) !== null)).toEqual([false, isTold]);
});

test.each(Object.keys(halves))('%s goes by the reading that is further on, and by none while there is none', (name) => {
  const { surety, at, border } = halves[name]!;
  const { [network]: chain, ...rest } = at(border);
  const ahead = ({ mtp, height }: ChainClock): ChainClock => ({ mtp: start, height: 900_000, ahead: { mtp, height } });
  const further: Clocks = {
    ...rest,
    bitcoin: ahead(rest.bitcoin),
    ...(chain === undefined ? {} : { [network]: ahead(chain) }),
  };
  expect(furthest(further.bitcoin)).toEqual(furthest(rest.bitcoin));
  expect(surety.cannotWait(further)).toBe(true);
  const unread = { mtp: null, height: null };
  expect(surety.cannotWait({ wall: start, bitcoin: unread, [network]: unread })).toBe(false);
  expect(surety.cannotWait({ wall: start, bitcoin: unread })).toBe(false);
});
