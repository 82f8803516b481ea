/** ln-service ships no types; what it hands on from `lightning` has them there. */
declare module 'ln-service' {
  export * from 'lightning';
}

declare module 'invoices' {
  export function parsePaymentRequest(args: { request: string }): {
    cltv_delta: number;
    created_at: string;
    description?: string;
    description_hash?: string;
    destination: string;
    expires_at: string;
    id: string;
    mtokens: string;
    network: string;
    payment?: string;
    routes?: import('lightning').GetRouteToDestinationArgs['routes'];
  };
  export function createUnsignedRequest(args: Record<string, unknown>): { hash: string; hrp: string; tags: number[] };
  export function createSignedRequest(args: { destination: string; hrp: string; signature: string; tags: number[] }): {
    request: string;
  };
}
