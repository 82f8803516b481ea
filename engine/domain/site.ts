/**
 * The site of a client that is one of its networks: providers give a site 65,536 of those. Null for any other client.
 */
export function siteOf(client: string): string | null {
  const [network, isNetwork] = client.split('::/64');
  return isNetwork === undefined ? null : `${network?.split(':').slice(0, 3).join(':')}::/48`;
}

/** Under whose name a client is counted: its site, where it has one, for that has as many networks as it wants. */
export function holderOf(client: string): string {
  return siteOf(client) ?? client;
}
