import type { Destination } from '../../../network/network';

/** Errors that have their own words; all others say which address could not be reached. */
const TEXTS: Readonly<Record<string, string>> = {
  ECONNRESET: 'read ECONNRESET',
  CERT_HAS_EXPIRED: 'certificate has expired',
};

/** The error of a connection that comes to nothing, as node words it. */
export function networkError(code: string, { host, address, port }: Destination): Error {
  if (code === 'ENOTFOUND') return notFound(host);
  const text = TEXTS[code];
  if (text) return Object.assign(new Error(text), { code, ...(code === 'ECONNRESET' && { syscall: 'read' }) });
  const where = { syscall: 'connect', address, port };
  return Object.assign(new Error(`connect ${code} ${address}:${port}`), { code, ...where });
}

/** The error of a name that does not exist, as `dns.lookup` gives it. */
export function notFound(hostName: string): Error {
  const where = { code: 'ENOTFOUND', syscall: 'getaddrinfo', hostname: hostName };
  return Object.assign(new Error(`getaddrinfo ENOTFOUND ${hostName}`), { errno: -3008, ...where });
}

/** The error of a lookup that answers something else than addresses. */
export function invalidAddress(hostName: string, address: unknown): Error {
  const error = new TypeError(`Invalid IP address: ${address}`);
  return Object.assign(error, { code: 'ERR_INVALID_IP_ADDRESS', host: hostName });
}
