const place = 'sluice.owner-token';

/** The token lives as long as the tab: never in the address, never in storage that outlives it. */
export function keptToken(): string | null {
  return sessionStorage.getItem(place);
}

export function keepToken(token: string): void {
  sessionStorage.setItem(place, token);
}

export function forgetToken(): void {
  sessionStorage.removeItem(place);
}
