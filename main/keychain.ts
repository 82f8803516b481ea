/** What we ask of the keychain of the operating system: to keep one random key, never the seed itself. */
export interface Keychain {
  available(): Promise<boolean>;
  get(account: string): Promise<Uint8Array | null>;
  set(account: string, key: Uint8Array): Promise<void>;
  remove(account: string): Promise<void>;
}

const service = 'sluice';

/** A keychain that waits for a desktop nobody sits at must not hold up the node. */
const patienceMs = 10_000;

interface Keytar {
  getPassword(service: string, account: string): Promise<string | null>;
  setPassword(service: string, account: string, password: string): Promise<void>;
  deletePassword(service: string, account: string): Promise<boolean>;
}

export function osKeychain(): Keychain {
  let module: Promise<Keytar> | null = null;
  const keytar = () => (module ??= loadKeytar());
  return {
    async available() {
      try {
        const keychain = await keytar();
        await patiently(keychain.getPassword(service, 'probe'));
        return true;
      } catch {
        // Not installed, no secret service, locked: for the caller they are one answer.
        return false;
      }
    },
    async get(account) {
      const text = await patiently((await keytar()).getPassword(service, account));
      return text === null ? null : Buffer.from(text, 'hex');
    },
    async set(account, key) {
      await patiently((await keytar()).setPassword(service, account, Buffer.from(key).toString('hex')));
    },
    async remove(account) {
      await patiently((await keytar()).deletePassword(service, account));
    },
  };
}

async function loadKeytar(): Promise<Keytar> {
  const name: string = 'keytar';
  const loaded = (await import(name)) as { default?: Keytar } & Keytar;
  return loaded.default ?? loaded;
}

async function patiently<T>(answer: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('the keychain of this system does not answer')), patienceMs);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}
