/** One way to reach the engine: over HTTP with the owner's token, or over the bridge of the desktop. */
export interface Transport {
  call(route: Route, args?: CallArgs): Promise<unknown>;
  /** Listens to the owner's events until the answer is called; `down` says when they stop coming. */
  listen(heard: (event: unknown) => void, down: () => void): () => void;
}

export interface CallArgs {
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Readonly<Record<string, unknown>>;
}

/** The routes this page uses, by the names of the contract. */
export const routes = {
  ownerStatus: { method: 'GET', path: '/owner/status' },
  ownerSwaps: { method: 'GET', path: '/owner/swaps' },
  takerSwaps: { method: 'GET', path: '/owner/taker/swaps' },
  createTakerSwap: { method: 'POST', path: '/owner/taker/swaps' },
  sandbox: { method: 'GET', path: '/sandbox' },
  sandboxInvoice: { method: 'POST', path: '/sandbox/lightning/invoice' },
  sandboxPay: { method: 'POST', path: '/sandbox/lightning/pay' },
  sandboxArkadeFaucet: { method: 'POST', path: '/sandbox/arkade/faucet' },
} as const;
export type Route = keyof typeof routes;

/** The engine answered with a refusal; its message is a sentence for a person. */
export class Refused extends Error {
  override readonly name = 'Refused';
  readonly status: number;

  constructor(status: number, sentence: string) {
    super(sentence);
    this.status = status;
  }
}
