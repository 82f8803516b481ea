/** A transaction as the chain shows it; the height is null in the mempool. */
export interface BitcoinTx {
  readonly txid: string;
  readonly height: number | null;
  readonly inputs: readonly { readonly spends: string; readonly witness: readonly string[] }[];
  readonly outputs: readonly { readonly address: string | null; readonly amount: bigint }[];
  readonly fee: bigint;
}

/** The Bitcoin chain by its blocks, asked past whatever the node asks. */
export interface BitcoinReader {
  /** Everything but what pays miners, parents before their children. */
  transactions(): Promise<BitcoinTx[]>;
}

interface EsploraTx {
  readonly txid: string;
  readonly vin: readonly { txid: string; vout: number; witness?: readonly string[]; is_coinbase: boolean }[];
  readonly vout: readonly { scriptpubkey_address?: string; value: number }[];
  readonly fee: number;
}

interface EsploraBlock {
  readonly id: string;
  readonly height: number;
  readonly tx_count: number;
}

const page = 25;

export function readBitcoin(esplora: string): BitcoinReader {
  const blocks = new Map<string, readonly BitcoinTx[]>();
  /** By height. */
  let best: readonly EsploraBlock[] = [];

  async function get<T>(path: string): Promise<T> {
    const reply = await fetch(`${esplora}${path}`, { signal: AbortSignal.timeout(30_000) });
    if (!reply.ok) throw new Error(`${path}: ${reply.status} ${await reply.text()}`);
    return (await reply.json()) as T;
  }

  /** Of the best chain, oldest first: read down to a block that is known, and whatever stood above it is forgotten. */
  async function chain(): Promise<readonly EsploraBlock[]> {
    const newest: EsploraBlock[] = [];
    for (let from = ''; ;) {
      const some = await get<EsploraBlock[]>(`/blocks${from}`);
      newest.push(...some);
      const lowest = some.at(-1);
      if (lowest === undefined || lowest.height === 0) best = [];
      else if (best[lowest.height]?.id !== lowest.id) {
        from = `/${lowest.height - 1}`;
        continue;
      }
      best = [...best.slice(0, lowest?.height ?? 0), ...newest.reverse()];
      return best;
    }
  }

  async function contentOf({ id, height, tx_count }: EsploraBlock): Promise<readonly BitcoinTx[]> {
    const before = blocks.get(id);
    if (before !== undefined) return before;
    const some: BitcoinTx[] = [];
    for (let at = 0; tx_count > 1 && at < tx_count; at += page)
      for (const tx of await get<EsploraTx[]>(`/block/${id}/txs/${at}`))
        if (!tx.vin.some((input) => input.is_coinbase)) some.push(asTx(tx, height));
    blocks.set(id, some);
    return some;
  }

  return {
    async transactions() {
      const mined: BitcoinTx[] = [];
      for (const block of await chain()) mined.push(...(await contentOf(block)));
      const waiting: BitcoinTx[] = [];
      for (const txid of await get<string[]>('/mempool/txids')) {
        // Mined in between: the next reading has it in its block.
        const tx = await get<EsploraTx>(`/tx/${txid}`).catch(() => null);
        if (tx !== null) waiting.push(asTx(tx, null));
      }
      return [...mined, ...waiting];
    },
  };
}

function asTx({ txid, vin, vout, fee }: EsploraTx, height: number | null): BitcoinTx {
  return {
    txid,
    height,
    inputs: vin.map((input) => ({ spends: `${input.txid}:${input.vout}`, witness: input.witness ?? [] })),
    outputs: vout.map(({ scriptpubkey_address: address = null, value }) => ({ address, amount: BigInt(value) })),
    fee: BigInt(fee),
  };
}
