import { directionNames, wireDirections, type DirectionName } from '../../engine/domain/chain.ts';

const sides: Readonly<Record<string, string>> = {
  arkade: 'Arkade',
  evm: 'EVM',
  lightning: 'Lightning',
  bitcoin: 'Bitcoin',
};

type Labels = Readonly<Record<DirectionName, string>>;
type WireLabels = Readonly<Record<(typeof wireDirections)[DirectionName], string>>;

/** Every direction by its name, with a language's word between its sides: `Arkade to EVM`. */
export function labelsWith(between: string): Labels {
  const label = (name: DirectionName): string =>
    name
      .split('-')
      .map((side) => sides[side] ?? side)
      .join(` ${between} `);
  return Object.fromEntries(directionNames.map((name) => [name, label(name)])) as Labels;
}

/** The same by the names that records have for them. */
export function byWireName(labels: Labels): WireLabels {
  return Object.fromEntries(directionNames.map((name) => [wireDirections[name], labels[name]])) as WireLabels;
}
