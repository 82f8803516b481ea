/** What an operator's admin port says and does, as far as a test needs it (facts/arkade.md 53). */
export interface OperatorAdmin {
  walletStatus(): Promise<{ initialized: boolean; unlocked: boolean; synced: boolean }>;
  /** Makes the operator's own wallet, with words of its choice. */
  createWallet(password: string): Promise<void>;
  unlockWallet(password: string): Promise<void>;
  walletAddress(): Promise<string>;
  /** Sats that the operator can put into batches. */
  available(): Promise<bigint>;
  /** A voucher over sats that a batch takes in. */
  note(amount: number): Promise<string>;
  settings(): Promise<Readonly<Record<string, unknown>>>;
  change(settings: Readonly<Record<string, string>>): Promise<void>;
  convictions(script: string): Promise<{ id: string; pardoned: boolean }[]>;
  pardon(id: string): Promise<void>;
}

type Json = Readonly<Record<string, unknown>>;

const limit = 20_000;

export function openAdmin(base: string): OperatorAdmin {
  async function ask(path: string, body?: Json): Promise<Json> {
    const answer = await fetch(`${base}/v1/admin/${path}`, {
      signal: AbortSignal.timeout(limit),
      ...(body === undefined
        ? {}
        : { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok)
      throw new Error(`the operator's admin port answered ${answer.status} to ${path}: ${text.slice(0, 300)}`);
    return JSON.parse(text) as Json;
  }

  return {
    async walletStatus() {
      const { initialized, unlocked, synced } = await ask('wallet/status');
      return { initialized: initialized === true, unlocked: unlocked === true, synced: synced === true };
    },
    async createWallet(password) {
      const { seed } = await ask('wallet/seed');
      await ask('wallet/create', { seed, password });
    },
    async unlockWallet(password) {
      await ask('wallet/unlock', { password });
    },
    async walletAddress() {
      return String((await ask('wallet/address'))['address']);
    },
    async available() {
      const account = (await ask('wallet/balance'))['mainAccount'] as Json;
      return satsOf(String(account['available']));
    },
    async note(amount) {
      const [note] = (await ask('note', { amount, quantity: 1 }))['notes'] as string[];
      if (note === undefined) throw new Error('the operator answered without a note');
      return note;
    },
    async settings() {
      return (await ask('settings'))['settings'] as Json;
    },
    async change(settings) {
      await ask('settings', { settings });
    },
    async convictions(script) {
      return (await ask(`convictionsByScript/${script}`))['convictions'] as { id: string; pardoned: boolean }[];
    },
    async pardon(id) {
      await ask(`convictions/${id}/pardon`, {});
    },
  };
}

/** Whole sats of a decimal amount of bitcoin. */
function satsOf(bitcoin: string): bigint {
  const [whole = '0', fraction = ''] = bitcoin.split('.');
  return BigInt(whole) * 100_000_000n + BigInt(fraction.padEnd(8, '0').slice(0, 8));
}
