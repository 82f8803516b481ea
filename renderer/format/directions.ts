const names: Readonly<Record<string, string>> = {
  arkade: 'Arkade',
  lightning: 'Lightning',
  bitcoin: 'Bitcoin',
  evm: 'EVM',
  btc: 'Bitcoin',
};

/** `lightning-arkade` reads `Lightning to Arkade`. */
export function directionText(direction: string): string {
  return direction
    .split(direction.includes('_to_') ? '_to_' : '-')
    .map((part) => names[part] ?? part)
    .join(' to ');
}
