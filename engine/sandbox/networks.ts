import { openArkade } from './arkade-network.ts';
import { openEvm } from './evm-networks.ts';
import { createMiner } from './control/miner.ts';
import type { Networks } from './control/routes.ts';
import type { PortBook } from './port-book.ts';
import type { Secrets } from './secrets.ts';
import { serveCore } from './wire/core.ts';
import { serveEsplora } from './wire/esplora.ts';
import { serveLnd } from './wire/lnd.ts';
import { serveLnurl } from './wire/lnurl.ts';
import { createBitcoin } from './world/bitcoin/chain.ts';
import { createSources } from './world/bitcoin/sources.ts';
import { createTime } from './world/clock.ts';
import type { Journal } from './world/journal.ts';
import { createLightning } from './world/lightning/lightning.ts';
import { createSkew } from './world/skew.ts';

export interface RunningNetworks extends Networks {
  /** Of the Bitcoin node's JSON-RPC. */
  readonly coreUrl: string;
  /** `host:port` of the Lightning node's gRPC. */
  readonly lndSocket: string;
  stop(): Promise<void>;
}

/** A payment arrives in a later turn of the event loop, as it does over a network. */
const travelMs = 1;
const tickMs = 1_000;

/** Every network as the journal has it, each behind its wire. */
export async function openNetworks(journal: Journal, secrets: Secrets, ports: PortBook): Promise<RunningNetworks> {
  const ending: (() => void | Promise<void>)[] = [];
  async function stop(): Promise<void> {
    for (const end of ending.splice(0).reverse()) await end();
  }

  try {
    const time = createTime(journal);
    // Their programs start while the others are opened.
    const opening = openEvm(journal, () => time.now(), ports);
    ending.push(() =>
      opening.then(
        (opened) => opened.stop(),
        () => undefined, // Thrown where it is awaited.
      ),
    );
    const bitcoin = createBitcoin({ journal, time });
    let travelling = true;
    const lightning = createLightning({
      journal,
      clock: bitcoin.clock,
      schedule: (arrive) => void setTimeout(() => travelling && arrive(), travelMs),
    });
    ending.push(() => {
      travelling = false;
      lightning.stop();
    });
    const ticking = setInterval(() => lightning.tick(), tickMs);
    ending.push(() => clearInterval(ticking));
    const miner = createMiner(bitcoin, journal);
    ending.push(() => miner.stop());
    const arkade = await openArkade({ clock: bitcoin.clock, journal, chain: bitcoin }, ports);
    ending.push(() => arkade.stop());
    const sources = createSources(journal);
    const isAway = () => sources.is() === 'away';
    const esplora = await ports.serve(
      'esplora',
      0,
      (port) => serveEsplora(bitcoin, port, isAway),
      (server) => server.port,
    );
    ending.push(() => esplora.stop());
    const core = await ports.serve(
      'core',
      0,
      (port) => serveCore({ world: bitcoin, port, isAway, ...secrets.rpc }),
      (server) => server.port,
    );
    ending.push(() => core.stop());
    const lnd = await ports.serve(
      'lnd',
      0,
      (port) => serveLnd({ world: lightning, bitcoin, port, ...secrets }),
      (server) => server.port,
    );
    ending.push(() => lnd.stop());
    const payee = await ports.serve(
      'lnurl',
      0,
      (port) => serveLnurl(lightning, port),
      (server) => server.port,
    );
    ending.push(() => payee.stop());
    const { evm } = await opening;
    return {
      ...arkade,
      bitcoin,
      sources,
      lightning,
      evm,
      miner,
      skew: createSkew(journal),
      esploraUrl: esplora.url,
      coreUrl: core.url,
      lndSocket: lnd.socket,
      payee,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
