/**
 * The address or invoice in a payment link of a wallet, as its QR code says it (BIP-21 and its kin): without the scheme
 * and what follows the question mark. An amount in it is not taken over: it is typed, and looked over.
 */
export function withoutLink(text: string): string {
  const trimmed = text.trim();
  const link = /^(?:lightning|bitcoin|ethereum|ark):(?:\/\/)?/i.exec(trimmed)?.[0];
  return link === undefined ? trimmed : trimmed.slice(link.length).replace(/\?.*$/s, '');
}
