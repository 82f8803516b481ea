import { expect, test } from 'vitest';
import { sats } from '../../engine/domain/money.ts';
import { chainCoins } from '../../engine/store/chain-coins.ts';

test('of a wallet full of dust the note for a rollback has the largest coins', () => {
  const rows = new Map<string, unknown>();
  const settings = {
    get: (key: string) => rows.get(key) ?? null,
    put: (key: string, value: unknown) => rows.set(key, value),
  };
  const note = chainCoins(settings as unknown as Parameters<typeof chainCoins>[0], { reservedCoins: () => [] });
  const coin = (i: number, amount: number) => ({
    outpoint: { txid: i.toString(16).padStart(64, '0'), vout: 0 },
    amount: sats(amount),
    key: { branch: 'bitcoin-deposit', index: i },
  });
  const dust = Array.from({ length: 700 }, (_, i) => coin(i, 330));
  const ours = coin(700, 1_000_000);
  note.saw([...dust, ours], []);
  expect([note.standing()[0], note.standing().length, note.all()?.length]).toEqual([ours, 640, 701]);
});
