import type { TakerDirection } from '../../../engine/domain/chain.ts';
import type { Leg as Network } from '../../../engine/legs/leg.ts';
import type { Effect, Event } from '../../../engine/swap/machine.ts';
import type { Deal } from '../../../engine/taker/terms.ts';
import { diceOf } from '../../swap/dice.ts';
import { leftBy } from '../../swap/driver.ts';
import { everyCase } from '../every-case.ts';
import { getsOnArkade } from './gets-arkade.ts';
import { getsOnBitcoin } from './gets-bitcoin.ts';
import { getsOnEvm } from './gets-evm.ts';
import { getsOverLightning } from './gets-lightning.ts';
import { givesOnArkade } from './gives-arkade.ts';
import { givesOnBitcoin } from './gives-bitcoin.ts';
import { givesOnEvm } from './gives-evm.ts';
import { givesOverLightning } from './gives-lightning.ts';
import { groundOf, type Given, type Got, type Ground } from './ground.ts';

const gives: Readonly<Record<Network, (ground: Ground) => Given>> = {
  arkade: givesOnArkade,
  bitcoin: givesOnBitcoin,
  evm: givesOnEvm,
  lightning: givesOverLightning,
};
const gets: Readonly<Record<Network, (ground: Ground) => Got>> = {
  arkade: getsOnArkade,
  bitcoin: getsOnBitcoin,
  evm: getsOnEvm,
  lightning: getsOverLightning,
};

const words = [
  'pending',
  'pending',
  'pending',
  'pending',
  'clientfunded',
  'serverfunded',
  'serverwontfund',
  'expired',
  'clientredeemed',
  'serverredeemed',
] as const;

/** Sides, and looks and words: `sees` are the watches that an event answers. */
const sees: Readonly<Record<string, readonly string[]>> = {
  'htlc.seen': ['htlc'],
  'vhtlc.seen': ['vhtlc'],
  'evm.seen': ['evm-lock'],
  'evm.balance': ['evm-balance'],
  'provider.seen': ['provider'],
};

/**
 * One swap of a client with an adversary of a provider, in an order that the numbers say; the state that it ends in.
 * Throws where the provider has both, the client has both, or something of the client's is left behind.
 */
export function play(direction: TakerDirection, numbers: readonly number[]): string {
  const { machine, terms: agreed, first } = everyCase[direction];
  const [source, target] = direction.split('-') as [Network, Network];
  const dice = diceOf(numbers);
  const { roll, left } = dice;
  const provider = roll(4);
  const terms = 'gasless' in agreed && roll(2) === 0 ? { ...agreed, gasless: false } : agreed;
  const { deal } = first as { readonly deal?: Deal };
  if (deal === undefined) throw new Error(`${direction} begins without a deal`);
  let progress = first;
  let effects: Effect[] = [];
  const story: string[] = [];

  function fail(sentence: string): never {
    throw new Error(`${direction}: ${sentence}\n${story.join('\n')}`);
  }

  /** Whether it moved. */
  function hear(event: Event, done?: Effect): boolean {
    const kinds = sees[event.is];
    if (kinds !== undefined && !machine.watches(terms, progress).some(({ on }) => kinds.includes(on))) return false;
    if (done !== undefined) effects = effects.filter((effect) => effect !== done);
    const step = machine.step(terms, progress, event, ground.now());
    const next = step === 'stay' ? 'stay' : `${step.progress.at} ${step.effects.map((one) => one.do).join()}`;
    if (step !== 'stay') story.push(`${ground.wall()} ${ground.height()} ${progress.at}: ${event.is} => ${next}`);
    if (step !== 'stay') {
      effects = [...leftBy(step, effects), ...step.effects];
      progress = step.progress;
      for (const effect of step.effects) given.owes?.(effect);
    }
    if (!machine.open(terms, progress)) given.over?.(progress.at);
    return step !== 'stay';
  }

  const ground: Ground = groundOf({ dice, terms, deal, hear, stage: () => progress.at, sides: () => sides, fail });
  const given = gives[source](ground);
  const got = gets[target](ground);
  const sides = { given, got };

  function run(effect: Effect, luck: number): void {
    if (!given.run(effect, luck) && !got.run(effect, luck)) fail(`nobody expects ${effect.do}`);
  }

  /** As well as it goes; what the provider is asked for goes as it always does with this one. */
  function allDone(): void {
    for (const effect of [...effects])
      if (effects.includes(effect)) run(effect, effect.do.startsWith('provider.') ? provider : 3);
  }

  function looks(): void {
    given.look();
    got.look();
  }

  /** A secret that is out leaves no node asleep: from then on it is awake all the time. */
  function later(seconds: number): void {
    const isAwake = ground.isExposed() && !got.isOurs();
    for (let rest = seconds; rest > 0; rest -= 300) {
      ground.pass(isAwake ? Math.min(300, rest) : rest);
      if (!isAwake) return;
      hear({ is: 'clock' });
      looks();
      allDone();
    }
  }

  const acts: readonly (() => void)[] = [
    looks,
    looks,
    () => void hear({ is: 'clock' }),
    () => later(60 + roll(30) * 60),
    () => later(roll(4) === 0 ? roll(9) * 3_600 : 60),
    ...Array.from({ length: 4 }, () => () => {
      const effect = effects[roll(Math.max(1, effects.length))];
      if (effect !== undefined) run(effect, roll(4));
    }),
    () => given.take(),
    () => got.takeBack(),
    () => void hear({ is: 'provider.seen', status: words[roll(words.length)] ?? 'pending' }),
    () => void (roll(4) === 0 ? hear({ is: 'refund.requested' }) : undefined),
    () => void (roll(30) === 0 ? hear({ is: 'cancel.requested' }) : undefined),
    ...given.acts,
    ...got.acts,
    ...got.acts,
  ];
  while (left()) acts[roll(acts.length)]?.();

  given.calm?.();
  got.calm?.();
  for (let round = 0; round < 240; round++) {
    later(1_800);
    given.take();
    got.takeBack();
    // What was paid after the swap was over, and is not looked for any more, is asked for.
    if (progress.at === 'lapsed' && given.end() === 'there') hear({ is: 'refund.requested' });
    hear({ is: 'clock' });
    looks();
    allDone();
    if (!machine.open(terms, progress) && given.end() !== 'there') break;
  }
  return ended();

  function ended(): string {
    const end = given.end();
    if (machine.open(terms, progress)) fail(`it never ends: ${progress.at}`);
    if (end === 'theirs' && !got.isOurs()) fail(`the provider has both: ${progress.at}`);
    if (end === 'ours' && got.isOurs() && target !== 'lightning') fail(`we have both: ${progress.at}`);
    if (end === 'there' && !got.isOurs()) fail(`ours is left behind: ${progress.at}`);
    const isBought = machine.status(progress) === 'serverredeemed' || progress.at === 'claimed';
    if (end === 'theirs' && !isBought) fail(`it was bought, and it is ${progress.at}`);
    if (isBought && !got.isOurs()) fail('it is called bought, and nothing came');
    if (effects.length > 0) fail(`something is still owed: ${effects.map((one) => one.do).join()}`);
    return `${progress.at}, ${end}${got.isOurs() ? ', bought' : ''}`;
  }
}
