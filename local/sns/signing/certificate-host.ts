import type { Place } from '../../kernel/place';
import type { Host, Reply } from '../../network/network';
import { signingCertificate, signingCertUrl } from './certificate';

const METHODS: readonly string[] = ['GET', 'HEAD'];

/**
 * SNS's own host, which serves the certificate of its signatures to everybody beside the API.
 *
 * @param api answers whatever else the host is asked
 */
export function withSigningCertificate(place: Place, api: Host): Host {
  const { pathname } = new URL(signingCertUrl(place));
  const body = Buffer.from(signingCertificate());
  const reply: Reply = {
    kind: 'response',
    status: 200,
    headers: { 'content-type': 'binary/octet-stream', 'content-length': String(body.byteLength) },
    body,
  };
  return request => (METHODS.includes(request.method) && request.path === pathname ? reply : api(request));
}
