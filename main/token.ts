import { randomBytes } from 'node:crypto';
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { refuse, type Refusal } from '../engine/domain/errors.ts';
import { readIfThere } from './folder.ts';
import { writePrivate } from './private-file.ts';

/** The owner's bearer token, 256 random bits in hexadecimal; made once, then kept until its file is removed. */
export function ownerToken(folder: string): { token: string } | Refusal {
  const path = join(folder, 'owner.token');
  const storedToken = readIfThere(path)?.trim();
  if (storedToken === undefined) {
    const token = randomBytes(32).toString('hex');
    writePrivate(path, Buffer.from(`${token}\n`));
    return { token };
  }
  if (!/^[0-9a-f]{64}$/.test(storedToken))
    return refuse(
      'invalid',
      `The file ${path} does not hold a token of 64 hexadecimal digits: remove it and the next start makes a new one.`,
    );
  chmodSync(path, 0o600);
  return { token: storedToken };
}
