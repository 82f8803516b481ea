import { HDKey } from '@scure/bip32';
import { describe, expect, it } from 'vitest';
import { isRefusal } from '../../engine/domain/errors.ts';
import { toHex } from '../../engine/domain/hex.ts';
import { userIdsOf } from '../../engine/legs/xpub.ts';

/** The account of the seed words `abandon` x 11 and `about`, at m/9419'/121923'/0' (facts/clients.md 13). */
const xpub =
  'xpub6Cz3qBXRjM2h2cSTBTP2e1TXXsWz1cRPJcsPieXa38eUHvfjSL4tbsMp62tsWRGwfZUZ4P6F5owuqtDQxxyhwBLBJELfDvYuqzrrBycMtGu';

function idsOf(text: string): (index: number) => string {
  const ids = userIdsOf(text);
  if (isRefusal(ids)) throw new Error(ids.sentence);
  return (index) => toHex(ids(index));
}

describe('the user ids of an extended public key', () => {
  it('are those of published clients, at xpub/9419/121923/i', () => {
    const id = idsOf(xpub);
    expect([id(0), id(1)]).toEqual([
      '03493441df4aeffeae06e03db0cbaeebb9c4b66814ceeda19e64eab07efd02e016',
      '03a95bad7a011498fab5378e5a42dfc1c99ef52cdbfb10b84eecea79bee5cea315',
    ]);
  });

  it('are refused to a private key, which nobody should ever send, without repeating it', () => {
    const xprv = HDKey.fromMasterSeed(new Uint8Array(32).fill(7)).privateExtendedKey;
    const refused = userIdsOf(xprv);
    expect(refused).toMatchObject({ refusal: 'invalid', sentence: expect.stringContaining('private') });
    expect(JSON.stringify(refused)).not.toContain(xprv.slice(4, 12));
  });

  it.each([['a text'], ['xpub1234'], [xpub.slice(0, -1)], [`${xpub.slice(0, -1)}x`], ['']])(
    'are refused to what is no extended key: %s',
    (text) => {
      expect(userIdsOf(text)).toMatchObject({
        refusal: 'invalid',
        sentence: expect.stringContaining('extended public key'),
      });
    },
  );
});
