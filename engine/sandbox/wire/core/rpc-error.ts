/** An answer of the JSON-RPC that is an error, with Bitcoin Core's number. */
export class RpcError extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}
