const names: Readonly<Record<string, string>> = {
  arkade: 'Arkade',
  lightning: 'Lightning',
  bitcoin: 'Bitcoin',
  evm: 'EVM',
  btc: 'Bitcoin',
};

/** A direction in words: its source, `to`, its target. */
export function directionText(direction: string): string {
  return direction
    .split(direction.includes('_to_') ? '_to_' : '-')
    .map((part) => names[part] ?? part)
    .join(' to ');
}
