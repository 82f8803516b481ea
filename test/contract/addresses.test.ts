import { describe, expect, test } from 'vitest';
import { isRefusal } from '../../engine/domain/errors.ts';
import { parseRequest, type RouteName } from '../../engine/contract/routes.ts';
import { bodies } from './bodies.ts';

/** Of EIP-55, and with one letter of it in the wrong case. */
const right = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const wrong = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD';
/** The same account in the case of EIP-1191 on chain 30. */
const onRootstock = '0x5aaEB6053f3e94c9b9a09f33669435E7ef1bEAeD';

const hex32 = `0x${'11'.repeat(32)}`;
const signature = { v: 27, r: hex32, s: hex32 };
const dex = {
  from: { kind: 'evm', chain_id: 137, address: right },
  to: { kind: 'evm', chain_id: 137, address: right },
  amount: { kind: 'exact_in', value: '1' },
  sender: right,
  slippage_bps: 50,
};
const own = { direction: 'arkade-evm', amount_sats: 5_000, evm_chain_id: 137, target_address: right };

/** Every field of a request that is an address of an EVM chain, with a request in which all the rest is right. */
const fields: readonly (readonly [RouteName, 'body' | 'query', string, object])[] = [
  ['createArkadeEvm', 'body', 'claiming_address', bodies.createArkadeEvm],
  ['createArkadeEvm', 'body', 'target_address', bodies.createArkadeEvm],
  ['createArkadeEvm', 'body', 'token_address', bodies.createArkadeEvm],
  ['createEvmLightning', 'body', 'user_address', bodies.createEvmLightning],
  ['createEvmLightning', 'body', 'token_address', bodies.createEvmLightning],
  ['createEvmBitcoin', 'body', 'user_address', bodies.createEvmBitcoin],
  ['createEvmBitcoin', 'body', 'token_address', bodies.createEvmBitcoin],
  ['redeemData', 'query', 'destination', {}],
  ['claimGasless', 'body', 'destination', { secret: hex32, ...signature }],
  ['collabRefundEvm', 'body', 'depositor_address', signature],
  ['createTakerSwap', 'body', 'target_address', own],
  ['createTakerSwap', 'body', 'token_address', own],
];

function refusalOf(name: RouteName, part: 'body' | 'query', given: object): string | null {
  const parsed = parseRequest(name, { params: { id: 'x' }, [part]: given });
  return isRefusal(parsed) ? parsed.sentence : null;
}

describe('an address in a request', () => {
  test('fault 77: is refused by its name where a letter is in the wrong case, in every field of every route', () => {
    const sentences = fields.map(([name, part, field, rest]) => refusalOf(name, part, { ...rest, [field]: wrong }));
    const lines = sentences.map((sentence, i) => [fields[i]?.[2], sentence]);
    expect(lines).toEqual(
      fields.map(([, , field]) => [
        field,
        expect.stringMatching(
          new RegExp(`^${field} cannot be "?${wrong}.*whose capital letters do not fit its checksum.*: send `),
        ),
      ]),
    );
    expect(fields.map(([name, part, field, rest]) => refusalOf(name, part, { ...rest, [field]: right }))).toEqual(
      fields.map(() => null),
    );
  });

  test('may have the case of chains 30 and 31 there alone', () => {
    const on = (chain: number) =>
      refusalOf('createArkadeEvm', 'body', {
        ...bodies.createArkadeEvm,
        evm_chain_id: chain,
        target_address: onRootstock,
      });
    expect([on(30), on(31), on(137)]).toEqual([
      null,
      expect.stringContaining('on chain 31'),
      expect.stringContaining('on chain 137'),
    ]);
  });

  test('is judged in calls of an exchange too', () => {
    const at = (change: object) => refusalOf('dexFundCalls', 'body', { ...dex, ...change });
    expect([at({}), at({ sender: wrong }), at({ from: { ...dex.from, address: wrong } })]).toEqual([
      null,
      expect.stringMatching(/^sender cannot be/),
      expect.stringMatching(/^from\.address cannot be/),
    ]);
  });
});
