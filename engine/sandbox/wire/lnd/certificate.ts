import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';

export interface Certificate {
  /** Both PEM. */
  readonly cert: string;
  readonly key: string;
}

const oid = {
  ecdsaWithSha256: [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02],
  commonName: [0x55, 0x04, 0x03],
  basicConstraints: [0x55, 0x1d, 0x13],
  subjectAltName: [0x55, 0x1d, 0x11],
};
/** RFC 5280's "no well-defined expiration": the sandbox has a clock of its own. */
const noEnd = '99991231235959Z';

/** A self-signed X.509 certificate (RFC 5280) on P-256, for localhost as lnd makes one at its first start. */
export function makeCertificate(host = 'localhost'): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const algorithm = sequence(der(0x06, oid.ecdsaWithSha256));
  const name = sequence(der(0x31, sequence(der(0x06, oid.commonName), utf8(host))));
  const serial = randomBytes(16);
  serial[0] = ((serial[0] ?? 0) & 0x7f) | 0x01;
  const alternativeNames = sequence(der(0x82, Buffer.from(host)), der(0x87, [127, 0, 0, 1]));
  const body = sequence(
    der(0xa0, der(0x02, [2])),
    der(0x02, serial),
    algorithm,
    name,
    sequence(der(0x17, Buffer.from('200101000000Z')), der(0x18, Buffer.from(noEnd))),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(
      0xa3,
      sequence(
        extension(oid.basicConstraints, sequence(der(0x01, [0xff]))),
        extension(oid.subjectAltName, alternativeNames),
      ),
    ),
  );
  const signature = sign('sha256', body, privateKey);
  const certificate = sequence(body, algorithm, der(0x03, Buffer.concat([Buffer.of(0), signature])));
  return {
    cert:
      `-----BEGIN CERTIFICATE-----\n${certificate.toString('base64').replace(/.{64}/g, '$&\n').trimEnd()}\n-----END ` +
      'CERTIFICATE-----\n',
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

function extension(identifier: readonly number[], value: Buffer): Buffer {
  return sequence(der(0x06, identifier), der(0x04, value));
}

function utf8(text: string): Buffer {
  return der(0x0c, Buffer.from(text, 'utf8'));
}

function sequence(...parts: Buffer[]): Buffer {
  return der(0x30, Buffer.concat(parts));
}

function der(tag: number, content: Uint8Array | readonly number[]): Buffer {
  const length = content.length;
  const prefix = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.of(tag, ...prefix), Buffer.from(content)]);
}
