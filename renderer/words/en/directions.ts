import { directionNames, type DirectionName } from '../../../engine/domain/chain.ts';

const sides: Readonly<Record<string, string>> = {
  arkade: 'Arkade',
  evm: 'EVM',
  lightning: 'Lightning',
  bitcoin: 'Bitcoin',
};

/** `Arkade to EVM`, by the name of a direction. */
export const directionLabels = Object.fromEntries(
  directionNames.map((name) => [
    name,
    name
      .split('-')
      .map((side) => sides[side] ?? side)
      .join(' to '),
  ]),
) as Readonly<Record<DirectionName, string>>;
