import { TEST_NETWORK } from '@scure/btc-signer';

/** Addresses of regtest have a prefix of their own (BIP-173). */
export const regtest = { ...TEST_NETWORK, bech32: 'bcrt' };

export interface Utxo {
  readonly txid: string;
  readonly vout: number;
  readonly value: number;
}

/** What an Esplora server has, as any wallet asks it. */
export async function read<T>(esplora: string, path: string): Promise<T> {
  const answer = await fetch(`${esplora}${path}`);
  if (!answer.ok) throw new Error(`GET ${path}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as T;
}

export function utxosAt(esplora: string, address: string): Promise<Utxo[]> {
  return read(esplora, `/address/${address}/utxo`);
}

/** Hands hex text to the network; answers the transaction's id, or throws what the node says to it. */
export async function sendBitcoin(esplora: string, transaction: string): Promise<string> {
  const answer = await fetch(`${esplora}/tx`, { method: 'POST', body: transaction });
  if (!answer.ok) throw new Error(`the transaction was refused: ${await answer.text()}`);
  return answer.text();
}
