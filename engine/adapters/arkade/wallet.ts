import { sameBytes } from '../../domain/hash.ts';
import { sats, type Sats } from '../../domain/money.ts';
import { outpointKey } from '../../domain/outpoint.ts';
import { unix } from '../../domain/time.ts';
import { arkadePrefix, encodeArkadeAddress } from '../../legs/arkade/address.ts';
import type { ArkadePort } from '../../legs/arkade/port.ts';
import type { PreparedArkTx } from '../../legs/arkade/transaction.ts';
import type { Vtxo, WalletVtxo } from '../../legs/arkade/vtxo.ts';
import { prepare } from './build.ts';
import { spendable } from './choose-coins.ts';
import { coinsAtScripts, strandedAt } from './coins.ts';
import type { ArkadeOptions, Operator, OperatorSettings } from './operator.ts';
import { createScriptUnder, createWalletScripts, type WalletScript } from './wallet-scripts.ts';

type Reads = 'address' | 'walletScripts' | 'balance' | 'walletCoins' | 'strandedCoins' | 'scriptUnder';

/** The node's own wallet at the operator. */
export interface OwnWallet {
  /** Its scripts under what the operator asks now and asked before, the present one by itself as well. */
  scripts(): Promise<{
    readonly settings: OperatorSettings;
    readonly present: WalletScript;
    readonly all: readonly WalletScript[];
  }>;
  /** Unspent, recoverable ones included. */
  coins(): Promise<WalletVtxo[]>;
  /** Coins on their way through a batch of ours: they come back as others, and no payment may choose them. */
  readonly inBatch: Set<string>;
  /** What the port tells of it. */
  readonly reads: Pick<ArkadePort, Reads>;
}

export function createOwnWallet(options: ArkadeOptions, operator: Operator): OwnWallet {
  const { clock } = options;
  const scriptsAt = createWalletScripts(options);

  async function scripts() {
    const settings = await operator.settings();
    const all = scriptsAt(settings);
    return { settings, present: all[0], all };
  }

  async function coinsBy(read: (scripts: Uint8Array[]) => Promise<Vtxo[]>): Promise<WalletVtxo[]> {
    const { present, all } = await scripts();
    const coins = await read(all.map(({ tap }) => tap.pkScript));
    return coins.flatMap((coin) => {
      const at = all.find(({ tap }) => sameBytes(tap.pkScript, coin.script));
      if (at === undefined) return [];
      const tooShort = at.under.exitDelay < present.under.exitDelay;
      // What leaves later than the operator asks for is as good as new.
      const old = tooShort || !sameBytes(at.under.signer, present.under.signer);
      return [{ ...coin, old, under: at.under, ...(tooShort ? { tooShort } : {}) }];
    });
  }

  const inBatch = new Set<string>();
  const scriptUnder = createScriptUnder(options);
  const coins = (): Promise<WalletVtxo[]> => coinsBy((at) => coinsAtScripts(operator, at, clock.wall(), 'unspent'));

  return {
    scripts,
    coins,
    inBatch,
    reads: {
      async address() {
        const { settings, present } = await scripts();
        const address = encodeArkadeAddress({
          prefix: arkadePrefix(options.network),
          operator: settings.signer,
          outputKey: present.tap.outputKey,
        });
        return { address, script: present.tap.pkScript };
      },

      walletScripts: async () => (await scripts()).all.map(({ tap }) => tap.pkScript),

      async balance(reserved) {
        const all = (await coins()).filter(({ unrolled }) => !unrolled);
        const free = spendable(all, unix(0), reserved).filter(({ outpoint }) => !inBatch.has(outpointKey(outpoint)));
        const available = sumOf(free);
        const recoverable = sumOf(all.filter((coin) => coin.recoverable || coin.old));
        return {
          available,
          recoverable,
          pending: sats(sumOf(all) - available - recoverable),
          coins: free.map(({ amount, expiresAt }) => ({ amount, expiresAt })),
        };
      },

      walletCoins: coins,
      strandedCoins: () => coinsBy((at) => strandedAt(operator, at, clock.wall())),
      scriptUnder: async (under) => scriptUnder(under),
    },
  };
}

function sumOf(coins: readonly Vtxo[]): Sats {
  return sats(coins.reduce((sum, { amount }) => sum + amount, 0n));
}

/** Prepared, with what of it comes back to the wallet. */
export function prepareFor(present: WalletScript, spend: Parameters<typeof prepare>[0]): PreparedArkTx {
  const prepared = prepare(spend);
  const own = spend.outputs.flatMap(({ script, amount }, vout) =>
    sameBytes(script, present.tap.pkScript)
      ? [{ outpoint: { txid: prepared.txid, vout }, amount: sats(amount), ...present.under }]
      : [],
  );
  return { ...prepared, own };
}
