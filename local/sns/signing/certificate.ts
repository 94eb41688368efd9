import { createHash } from 'node:crypto';
import type { Place } from '../../kernel/place';
import { DEVELOPMENT_CERTIFICATE } from './development-key';

const PEM_LINE = /.{1,64}/g;

/** The certificate that verifies every signature of the embedded SNS, as its `SigningCertURL` is to serve it. */
export function signingCertificate(): string {
  const lines = DEVELOPMENT_CERTIFICATE.match(PEM_LINE) ?? [];
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
}

const FINGERPRINT = createHash('md5').update(DEVELOPMENT_CERTIFICATE).digest('hex');

/** Where an envelope says the certificate is. */
export function signingCertUrl({ region, urlSuffix }: Place): string {
  return `https://sns.${region}.${urlSuffix}/SimpleNotificationService-${FINGERPRINT}.pem`;
}
