// Run with a session bus of its own: what the keychain of this system does with a key, as JSON on standard output.
import { osKeychain } from '../../../main/keychain.ts';

const keychain = osKeychain();
const key = Uint8Array.from({ length: 32 }, (_, at) => at);
const before = await keychain.available();
const outcome = before ? await walk().catch(() => ({ available: true, refused: true })) : { available: false };
console.log(JSON.stringify(outcome));
process.exit(0);

async function walk() {
  const absent = await keychain.get('seed of /nowhere');
  await keychain.set('seed of /nowhere', key);
  const back = await keychain.get('seed of /nowhere');
  await keychain.remove('seed of /nowhere');
  const after = await keychain.get('seed of /nowhere');
  return { available: true, absent, back: back === null ? null : Buffer.from(back).toString('hex'), after };
}
