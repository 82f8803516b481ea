import { describe, expect, test } from 'vitest';
import { takerDirections } from '../../engine/domain/chain.ts';
import { endings, gamesLimit } from '../swap/dice.ts';
import { play } from './games/play.ts';

/*
 * A provider that locks, takes, signs, says and withholds whatever it likes; an owner who pays too little, twice or
 * late; a node that sleeps for hours; answers that come late, twice or never. The secret leaves for a good lock alone
 * and never beside a refund of ours, nobody has both, and in the end nothing of ours is left.
 */

describe('in whatever order things happen, what was bought arrives or what was given comes back', gamesLimit, () => {
  test.each(takerDirections)('%s', (direction) => {
    const games = { runs: 500, throws: [20, 250], seed: 20_261_130, asPlayed: true } as const;
    const ends = endings((numbers) => play(direction, numbers), games);
    // What a wallet pays over Lightning comes back to it by itself.
    const back = direction.startsWith('lightning') ? 'lapsed, nowhere' : 'done, ours';
    expect(ends).toEqual(expect.arrayContaining([expect.stringMatching(/, theirs, bought$/), back]));
  });
});
