/** A transaction id in its displayed form: 64 lower-case hex digits. An identifier, never hashed or sliced. */
export type Txid = string;

export interface Outpoint {
  readonly txid: Txid;
  readonly vout: number;
}

/** The text `txid:vout`, the key of an outpoint in maps, tables and queries. */
export function outpointKey(point: Outpoint): string {
  return `${point.txid}:${point.vout}`;
}

/** The outpoint of such a key. */
export function outpointOf(key: string): Outpoint {
  const [txid = '', vout] = key.split(':');
  return { txid, vout: Number(vout) };
}

export function sameOutpoint(a: Outpoint, b: Outpoint): boolean {
  return a.txid === b.txid && a.vout === b.vout;
}
