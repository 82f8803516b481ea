import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { directionNames, type DirectionName } from '../../engine/domain/chain.ts';

/** Both are played in one file. */
const together: readonly DirectionName[] = ['arkade-lightning', 'lightning-arkade'];

test('every direction is played in random order', () => {
  const files = readdirSync(import.meta.dirname).flatMap((name) => /^(.+)-random\.test\.ts$/.exec(name)?.[1] ?? []);
  const played = [...files, ...together];
  expect(directionNames.filter((direction) => !played.includes(direction))).toEqual([]);
});
