import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { DeveloperKeyRequest, DeveloperKeys, NewDeveloperKey } from '../../contract/owner/developer-keys.ts';
import { refuse, type Refusal } from '../../domain/errors.ts';
import { toHex } from '../../domain/hex.ts';
import type { DeveloperKey } from '../../store/developer-keys.ts';
import type { ServiceContext } from '../context.ts';

function hashOf(key: string): Uint8Array {
  return new Uint8Array(createHash('sha256').update(key).digest());
}

/** The key behind the header's text; none was sent, or it is known, or the request is refused. */
export function developerOf(context: ServiceContext, text: string | null): DeveloperKey | null | Refusal {
  if (text === null) return null;
  return (
    context.runtime.store.developerKeys.byHash(hashOf(text)) ??
    refuse('unauthorized', 'X-Developer-Key is not a key of this node: correct it or leave it out.')
  );
}

export function developerKeys(context: ServiceContext): DeveloperKeys {
  return {
    keys: context.runtime.store.developerKeys.all().map((key) => ({
      id: key.id,
      name: key.name,
      max_extra_fee_bps: key.maxExtraFeeBps,
      key_hash: toHex(key.keyHash),
    })),
  };
}

export function newDeveloperKey(context: ServiceContext, request: DeveloperKeyRequest): NewDeveloperKey {
  const key = `sdk_${randomBytes(32).toString('hex')}`;
  const id = randomUUID();
  context.runtime.store.developerKeys.insert(
    { id, name: request.name, keyHash: hashOf(key), maxExtraFeeBps: request.maxExtraFeeBps },
    context.runtime.clock.now().wall,
  );
  return { id, key };
}
