import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';

/** A TLS certificate that the configuration names, and the host it is to be used with. */
export interface CertificateFacts {
  readonly setting: string;
  readonly host: string;
  /** Null for a file that holds no certificate. */
  readonly certificate: {
    /** Unix seconds. */
    readonly from: number;
    readonly until: number;
    readonly forHost: boolean;
    /** The names that it is made for, as it spells them. */
    readonly names: string;
  } | null;
}

export function probeCertificate(setting: string, pem: Uint8Array, host: string): CertificateFacts {
  let parsed: X509Certificate;
  try {
    parsed = new X509Certificate(Buffer.from(pem));
  } catch {
    return { setting, host, certificate: null };
  }
  const forHost = (isIP(host) === 0 ? parsed.checkHost(host) : parsed.checkIP(host)) !== undefined;
  return {
    setting,
    host,
    certificate: {
      from: Math.floor(parsed.validFromDate.getTime() / 1_000),
      until: Math.floor(parsed.validToDate.getTime() / 1_000),
      forHost,
      names: parsed.subjectAltName ?? parsed.subject,
    },
  };
}
