import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What an operator that follows a real chain writes into `<data folder>/sandbox/endpoints.json` (0600). */
export interface OperatorEndpoints {
  readonly pid: number;
  /** The control server: the routes of the counterparties, for the node to hand on to its owner. */
  readonly control: { readonly url: string; readonly token: string };
  readonly arkade: { readonly url: string; readonly adminUrl: string };
}

/** One EVM chain: where it answers, and where everything stands on it. */
export interface EvmEndpoints {
  readonly rpcUrl: string;
  /** Another RPC of the same chain, which no fault befalls. */
  readonly secondRpcUrl: string;
  readonly htlc: string;
  readonly coordinator: string;
  readonly permit2?: string;
  readonly tokens: readonly { readonly symbol: string; readonly address: string; readonly decimals: number }[];
  /** Uniswap v3: its QuoterV2, its SwapRouter02, and the token of the chain's own coin. */
  readonly dex?: { readonly quoter: string; readonly router: string; readonly wrappedNative: string };
}

/** What a whole sandbox writes there: all that a node needs to use it. */
export interface SandboxEndpoints extends OperatorEndpoints {
  readonly bitcoin: {
    readonly esploraUrl: string;
    /** Bitcoin Core's JSON-RPC over the same chain. */
    readonly rpc: { readonly url: string; readonly user: string; readonly password: string };
  };
  /**
   * Origin of the outside wallet's LNURL-pay: the one private place that the node may be sent to by a stranger's text.
   */
  readonly payee?: { readonly url: string };
  /** By the chain's number; left out where no chain runs. */
  readonly evm?: Readonly<Record<string, EvmEndpoints>>;
  readonly lnd: {
    /** `host:port` of the gRPC server. */
    readonly socket: string;
    /** The PEM certificate in base64, as lnd's clients take it. */
    readonly cert: string;
    /** Hex text: what the node needs and no more. */
    readonly macaroon: string;
    /** Hex text: everything. */
    readonly adminMacaroon: string;
  };
}

export function sandboxFolder(dataDir: string): string {
  return join(dataDir, 'sandbox');
}

export function endpointsFile(dataDir: string): string {
  return join(sandboxFolder(dataDir), 'endpoints.json');
}

/**
 * Of a whole sandbox or of an operator alone; null while none has ever come up in the folder, or the file is none of
 * ours. The process may be gone.
 */
export function readOperatorEndpoints(dataDir: string): OperatorEndpoints | null {
  let text: string;
  try {
    text = readFileSync(endpointsFile(dataDir), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  try {
    const content = JSON.parse(text) as Partial<OperatorEndpoints>;
    const whole = typeof content.pid === 'number' && content.control !== undefined && content.arkade !== undefined;
    return whole ? (content as OperatorEndpoints) : null;
  } catch {
    return null;
  }
}
