import { messageOf, TimeoutError, TransportError, transportFailureOf } from '../../../lambda/shared/connections';
import { TRANSPORT_FAILURES, type TransportFailure } from '../../../policy/outcome/outcome';

const withCode = (code: string, syscall?: string) =>
  Object.assign(new Error(code), { code, ...(syscall && { syscall }) });

/** Error codes of Node.js, by what they mean to a client that waits for an answer. */
const CODES: Readonly<Record<TransportFailure, readonly string[]>> = {
  timeout: ['ETIMEDOUT', 'ERR_SOCKET_CONNECTION_TIMEOUT', 'ERR_TLS_HANDSHAKE_TIMEOUT'],
  'connection-refused': ['ECONNREFUSED'],
  'connection-reset': ['ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ENOTCONN', 'ENETRESET'],
  'name-not-resolved': ['ENOTFOUND', 'EAI_AGAIN', 'EAI_FAIL', 'EAI_NODATA'],
  'bad-certificate': [
    'CERT_HAS_EXPIRED',
    'CERT_NOT_YET_VALID',
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    'SELF_SIGNED_CERT_IN_CHAIN',
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
    'CERT_REVOKED',
    'CRL_HAS_EXPIRED',
    'INVALID_CA',
    'INVALID_PURPOSE',
    'HOSTNAME_MISMATCH',
    'ERR_TLS_CERT_ALTNAME_INVALID',
  ],
  unreachable: ['EHOSTUNREACH', 'EHOSTDOWN', 'ENETUNREACH', 'ENETDOWN'],
  'forbidden-address': [],
  'tls-failed': [
    'EPROTO',
    'ERR_SSL_WRONG_VERSION_NUMBER',
    'ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE',
    'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED',
    'ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE',
    'ERR_TLS_INVALID_PROTOCOL_VERSION',
  ],
  'not-http': ['HPE_INVALID_CONSTANT', 'HPE_HEADER_OVERFLOW', 'HPE_INVALID_EOF_STATE', 'HPE_INVALID_CONTENT_LENGTH'],
  'local-failure': ['EAI_MEMORY'],
};

describe('An error of node’s client', () => {
  const rows = TRANSPORT_FAILURES.flatMap(failure => CODES[failure].map(code => [code, failure] as const));

  test.each(rows)('%s is a %s', (code, failure) => expect(transportFailureOf(withCode(code))).toBe(failure));

  test.each(['EMFILE', 'ENFILE', 'EADDRNOTAVAIL', 'EADDRINUSE', 'ENOBUFS', 'ENOMEM', 'EACCES', 'EPERM', 'EINVAL'])(
    '%s of a local call is a local-failure',
    code => expect(transportFailureOf(withCode(code, 'connect'))).toBe('local-failure'),
  );

  test('of several addresses is classified by the first of them', () => {
    const many = new AggregateError([withCode('EHOSTUNREACH', 'connect'), withCode('ECONNREFUSED', 'connect')]);
    expect(transportFailureOf(many)).toBe('unreachable');
  });

  test('of several addresses has the message of the first of them', () => {
    const refused = new Error('connect ECONNREFUSED 192.0.2.1:443');
    const many = new AggregateError([refused, new Error('connect ENETUNREACH 2001:db8::1:443')]);
    expect(messageOf(many)).toBe('connect ECONNREFUSED 192.0.2.1:443');
    expect(messageOf(new AggregateError([many]))).toBe('connect ECONNREFUSED 192.0.2.1:443');
    expect(messageOf(new AggregateError([refused], 'its own'))).toBe('its own');
    expect(messageOf(new AggregateError([]))).toBe('');
    expect(messageOf(refused)).toBe('connect ECONNREFUSED 192.0.2.1:443');
  });

  test('that our code made is classified by itself', () => {
    expect(transportFailureOf(new TransportError('forbidden-address', 'a private address'))).toBe('forbidden-address');
    expect(transportFailureOf(new TimeoutError('nothing within 5 ms'))).toBe('timeout');
  });

  test.each([
    ['without a code', new TypeError('x is not a function')],
    ['with a code of a mistake', withCode('ERR_INVALID_ARG_TYPE')],
    ['with a code nobody knows', withCode('ERR_NEVER_HEARD_OF')],
    ['of no addresses', new AggregateError([])],
  ])('%s is no transport failure', (_what, error) => expect(transportFailureOf(error)).toBeUndefined());
});
