import { RestArkProvider } from '@arkade-os/sdk';
import { connectArkade } from '../../engine/adapters/arkade/connect.ts';
import { outpointKey } from '../../engine/domain/outpoint.ts';
import { unix } from '../../engine/domain/time.ts';
import { createOperator } from '../../engine/sandbox/world/arkade/operator.ts';
import { memoryJournal } from '../../engine/sandbox/world/journal.ts';
import { serveArkade } from '../../engine/sandbox/wire/arkade.ts';
import { openWorlds } from '../sandbox/worlds.ts';
import type { ArkadeControls } from './arkade-suite.ts';
import { arkadePortSuite } from './arkade-suite.ts';
import type { Operator } from '../../engine/sandbox/world/arkade/operator.ts';
import type { Worlds } from '../sandbox/worlds.ts';

export function operatorControls({ bitcoin }: Worlds, operator: Operator): ArkadeControls {
  return {
    wall: () => unix(bitcoin.clock.now()),
    mtp: () => unix(bitcoin.clock.mtp()),
    faucet: async (address, amount) => operator.faucet(address, amount),
    advance: async (seconds) => void bitcoin.advance(seconds),
    expire: async (coin) => operator.faults.expire(outpointKey(coin)),
    loseNextSubmit: async () => operator.faults.loseNextSubmit(),
    away: async () => operator.faults.away(),
    back: async () => operator.faults.back(),
    changeSettings: async () => operator.configure({ maxTxWeight: 39_999 }),
  };
}

arkadePortSuite('the sandbox operator over HTTP', async () => {
  const worlds = openWorlds();
  const operator = createOperator({ clock: worlds.bitcoin.clock, journal: memoryJournal(), settings: { stages: { registration: 200, confirmation: 300, finalization: 300 } } });
  const server = await serveArkade(operator, { port: 0 });
  const clock = { wall: () => unix(worlds.bitcoin.clock.now()), mtp: () => unix(worlds.bitcoin.clock.mtp()) };
  return {
    controls: operatorControls(worlds, operator),
    connect: (keys) => connectArkade(server.url, { keys, clock, network: 'regtest' }),
    ark: new RestArkProvider(server.url),
    async stop() {
      operator.stop();
      await server.stop();
    },
  };
});
