import type { ArkadeNetwork } from './control/arkade.ts';
import type { PortBook } from './port-book.ts';
import { serveArkadeAdmin } from './wire/arkade/admin.ts';
import type { ArkadeServer } from './wire/arkade/server.ts';
import { serveArkade } from './wire/arkade.ts';
import { type OperatorOptions, createOperator } from './world/arkade/operator.ts';

export interface RunningArkade extends ArkadeNetwork {
  stop(): Promise<void>;
}

/** The operator as the journal has it, behind its public and its admin port. */
export async function openArkade(options: OperatorOptions, ports: PortBook): Promise<RunningArkade> {
  const operator = createOperator(options);
  const servers: ArkadeServer[] = [];
  async function stop(): Promise<void> {
    for (const server of servers.splice(0).reverse()) await server.stop();
    operator.stop();
  }

  async function serve(name: string, open: (port: number) => Promise<ArkadeServer>): Promise<string> {
    const server = await ports.serve(name, 0, open, ({ url }) => Number(new URL(url).port));
    servers.push(server);
    return server.url;
  }

  try {
    const arkadeUrl = await serve('arkade', (port) => serveArkade(operator, { port }));
    const arkadeAdminUrl = await serve('arkade-admin', (port) => serveArkadeAdmin(operator, { port }));
    return { clock: options.clock, operator, arkadeUrl, arkadeAdminUrl, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
