import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What the sandbox process writes into `<data folder>/sandbox/endpoints.json` (0600): all that a node needs to use it. */
export interface SandboxEndpoints {
  readonly pid: number;
  /** The control server: the routes of the counterparties, for the node to hand on to its owner. */
  readonly control: { readonly url: string; readonly token: string };
  readonly arkade: { readonly url: string };
  readonly bitcoin: { readonly esploraUrl: string };
  readonly lnd: {
    /** `host:port` of the gRPC server. */
    readonly socket: string;
    /** The PEM certificate in base64, as lnd's clients take it. */
    readonly cert: string;
    /** Hex text. */
    readonly macaroon: string;
  };
}

export function sandboxFolder(dataDir: string): string {
  return join(dataDir, 'sandbox');
}

export function endpointsFile(dataDir: string): string {
  return join(sandboxFolder(dataDir), 'endpoints.json');
}

/** Null while no sandbox has ever come up in the folder, or the file is none of ours. The process may be gone. */
export function readEndpoints(dataDir: string): SandboxEndpoints | null {
  let text: string;
  try {
    text = readFileSync(endpointsFile(dataDir), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  try {
    const content = JSON.parse(text) as Partial<SandboxEndpoints>;
    const whole = typeof content.pid === 'number' && content.control !== undefined && content.arkade !== undefined && content.bitcoin !== undefined && content.lnd !== undefined;
    return whole ? (content as SandboxEndpoints) : null;
  } catch {
    return null;
  }
}
