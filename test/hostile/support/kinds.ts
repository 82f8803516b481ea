import { weather } from '../../crash/support/weather.ts';
import { boltzFlood } from './boltz-flood.ts';
import { fullDisk } from './full-disk.ts';
import { flood } from './flood.ts';
import { gifts } from './gifts.ts';
import { paymentsHang } from './hanging-payments.ts';
import type { Kind, kindNames } from './kind.ts';
import { kills } from './kills.ts';
import { players } from './players.ts';
import { misbehave } from './sources.ts';

export const kinds: Readonly<Record<(typeof kindNames)[number], Kind>> = {
  creates: flood,
  door: boltzFlood,
  unfunded: players(/^never /, '198.51.100.1'),
  held: together(players(/walks away|payee/, '198.51.100.2'), paymentsHang),
  strangers: together(players(/twice|short|too little|and asks back|dust|both ways/, '198.51.100.3'), gifts),
  replaced: players(/replace|driven out|lost/, '198.51.100.4'),
  sources: misbehave,
  chains: ({ stage, oracle }, _, isOver) => weather(stage, oracle, { chains: ['137', '31'], onBitcoin: true }, isOver),
  kills,
  disk: fullDisk,
};

function together(...several: readonly Kind[]): Kind {
  return async (...play) => {
    await Promise.all(several.map((kind) => kind(...play)));
  };
}
