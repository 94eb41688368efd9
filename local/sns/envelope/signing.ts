import { createHash, createPrivateKey, type KeyObject, sign } from 'node:crypto';
import type { Place } from '../../kernel/place';
import type { Host, Reply } from '../../network/network';
import type { SignatureVersion } from '../topic/topic-and-subscription';

/** The members of an envelope that a signature may cover. Missing members are undefined. */
type SignedMembers = Readonly<Record<string, string | undefined>>;

const ALGORITHMS: Readonly<Record<SignatureVersion, string>> = { '1': 'RSA-SHA1', '2': 'RSA-SHA256' };

const OF_A_CONFIRMATION = ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'] as const;

/** The signed members by message type, in byte order. */
const SIGNED: Readonly<Record<string, readonly string[]>> = {
  Notification: ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type'],
  SubscriptionConfirmation: OF_A_CONFIRMATION,
  UnsubscribeConfirmation: OF_A_CONFIRMATION,
};

let key: KeyObject | undefined;

function developmentKey(): KeyObject {
  key ??= createPrivateKey({ key: Buffer.from(DEVELOPMENT_KEY, 'base64'), format: 'der', type: 'pkcs8' });
  return key;
}

/**
 * Returns the text to sign: the name and the value of each member on separate lines.
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-verify-signature-of-message.html
 */
function stringToSign(members: SignedMembers): string {
  return (SIGNED[members['Type'] ?? ''] ?? [])
    .filter(name => members[name] !== undefined)
    .map(name => `${name}\n${members[name]}\n`)
    .join('');
}

/** Returns the signature of an envelope in base64. The same members have the same signature in every run. */
export function signatureOf(members: SignedMembers, version: SignatureVersion): string {
  return sign(ALGORITHMS[version], Buffer.from(stringToSign(members)), developmentKey()).toString('base64');
}

/** Returns the signature of an envelope in base64. */
export type Signer = typeof signatureOf;

/**
 * The signing key of every embedded SNS, and its certificate, as DER in base64. A fixed key makes signatures the same
 * in every run. The key is in this source, so its signature does not prove who sent a message. It has 2,048 bits, as the key of AWS has.
 */
export const DEVELOPMENT_KEY = [
  'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQDG5Hixfk/CzSAym+JRgYwVzDtLrqr7iEZ9P6ngLHpQHkCA41pWulj1+sJTyjYG',
  'hdLop/dQWG00NzkC9pZzDks495GHxoGMPQmL3aONYjjV7/B0aq3ngjwaZ35jzEnVZ+yYE+Q1D88LirOUYcocLAowwCEbov3tdAuWkzLE8wImQKJu',
  '/U70UfFgGDsqcTQVYSvEseCck/DfdAe9Vy7pTkOvi63KdyDb11jgGbFm16XZio8ubQ4UVYtc1ugfhLmKtr8ocvf2KvuQea4aErTqcgbtUSRfgFrf',
  'FmbWA8MB6aV4cNOaMJsJCS/vaKG6MBHEtkq6GGh+4SBt92C9CvD9hck9AgMBAAECggEAIGu/zNcVM2Dyna1RcA3ZAvietdCMKKJnMyV8kIFPkt3L',
  'j/b/k+GefMJaiQQOWHPaFHjE1MEFVByoW3ZMwgaTdn7Mp0BRf8W3V6hSb8qSDzWkkaWOIY3WNEuoi6YSZwogxA2CBrBEBNKgQVDLfFolcxruiq3A',
  'DMP825e1D+u47vkSoaWdBBr2HzfShLM0OecYuealSrQmcZg2I1Ic0WnLl19bVzQ5kuef2sZDaApNokUaozh+BNjRlCHKMDRseKa0s/uJst8Yc2nP',
  'C1r/liUmHh8SDRykcauL9mcJBpH5XEP5S6hUF8jxDz+T8VgqAAcnd53OyiNwjEdfcvOifETX1QKBgQDq1uaEO/m0Nm3iX3hoaTNrRzTJW0XHv/Pr',
  'LGj5DWnavWrEQuZUeNz/HDa/IbvBikGj5YYUndNd+MqW4MZWFnVpidzzhS8/lwDGxCRqd71DfOjUvpmkknzCj5wNicwJ210/mbd+ijpBe/43qfGv',
  'vN5zMlPxRluY08jC9ggyLKnezwKBgQDY0F97DIEdaDYC5VaQ1xC3n7MHEk18cxe73IdbRuvvLyoStYOBCvrcEW3PNFFQWLVtWY26uAcv+uNngdOI',
  'KgM8rl8+r7NC8pat2ACsDBPeFG6JkUKxpJHWpajIbwJ1h7eX8M9im/iJFN17RV4mZ8O5jsg33PPK2Z1nu3t8anS6MwKBgQC2qMaN7hRwPrHDlNyT',
  '4dfTxoPhZnPlRYGU12si5HMEZ7aGxz5eT9AdQbW3fqaKiF47/AgJOyUvf5ccOeMrDLbwiwHoDBzPCkXZVLC6ez4kIyD6cPISlrohnxATW63vsMdb',
  '89VMwHlFfAslArNxLKed1HSEQ2R1f601L6b6V9Ec8wKBgBTFyhAY/5nYrSwT2vpfkJt3Mojf6QqeYEzAcTt+jQZKh4ZpW6MWcTh6dwHeKlg/V4qV',
  'hO25yf5/1B/LoX+vPsYmkruHy+4DHgqj4lSZh6HEZV7KyxAIC2z8TDJ/6EVobl+hU81H0kUX+axg1gdp86eolWg8xCLQPLN+k/M0o+BfAoGATP3s',
  'uGXGTnXZSpxF5+V18f5/NKKpYuHPbHZ0i8tYC+Ti9ajIdHUfNftdVl3SdcBzHOJYMkDY2txeek+MyYFCqIgoSabh3AgarLTq8lpOTIS+56UMqVlG',
  '5P3g7hcn05wyC3tkb7UMvX/vXg2dKMBgEszG65d57qPae9A6tqy9QmI=',
].join('');

/** Length of a base64 signature by this key. */
export const SIGNATURE_LENGTH = 344;

/** Stands where a signature would, in simulations in which no code verifies one. */
export const noSignature: Signer = () => 'A'.repeat(SIGNATURE_LENGTH);

/** Valid from 2000 to 2099, to cover the virtual time of any simulation. */
const DEVELOPMENT_CERTIFICATE = [
  'MIIDZjCCAk6gAwIBAgIBATANBgkqhkiG9w0BAQsFADBJMRowGAYDVQQDDBFzbnMuYW1hem9uYXdzLmNvbTErMCkGA1UECgwiRGVhZCBMZXR0ZXIg',
  'T2ZmaWNlIGRldmVsb3BtZW50IGtleTAgFw0wMDAxMDEwMDAwMDBaGA8yMDk5MTIzMTIzNTk1OVowSTEaMBgGA1UEAwwRc25zLmFtYXpvbmF3cy5j',
  'b20xKzApBgNVBAoMIkRlYWQgTGV0dGVyIE9mZmljZSBkZXZlbG9wbWVudCBrZXkwggEiMA0GCSqGSIb3DQEBAQUAA4IBDwAwggEKAoIBAQDG5Hix',
  'fk/CzSAym+JRgYwVzDtLrqr7iEZ9P6ngLHpQHkCA41pWulj1+sJTyjYGhdLop/dQWG00NzkC9pZzDks495GHxoGMPQmL3aONYjjV7/B0aq3ngjwa',
  'Z35jzEnVZ+yYE+Q1D88LirOUYcocLAowwCEbov3tdAuWkzLE8wImQKJu/U70UfFgGDsqcTQVYSvEseCck/DfdAe9Vy7pTkOvi63KdyDb11jgGbFm',
  '16XZio8ubQ4UVYtc1ugfhLmKtr8ocvf2KvuQea4aErTqcgbtUSRfgFrfFmbWA8MB6aV4cNOaMJsJCS/vaKG6MBHEtkq6GGh+4SBt92C9CvD9hck9',
  'AgMBAAGjVzBVMAkGA1UdEwQCMAAwCwYDVR0PBAQDAgeAMBwGA1UdEQQVMBOCEXNucy5hbWF6b25hd3MuY29tMB0GA1UdDgQWBBRVc8qBEUnT2Uyf',
  'sFFgcy/5/N3T5TANBgkqhkiG9w0BAQsFAAOCAQEAYubb1oeVvPyftXMVzH6O+UPJaLs1oqX6XFfuoTDmQVcC23L+DgTxp/iS+uLPTDqYpA7jcIXI',
  'K+aT82lmmiLvj16bj+LfYneNysTm7OlM4Hrm46D8x7EhYl8nCmBtcnYPCJ8kFa2u2F8gEkG/IUU66XgW/h0uL+7Uk/8gFE6T/mzcWj1tj+mMgWUv',
  'UuVz80SUcy0VBT1XlchSvVMspo7fpKlUGEs4nva3jf2OSbdG9j81g9Hcz+KphiWNkMxL3KTTYOS0Wl5PlOkLUGyc4Y1GVSeVmXuVYmeIJkHvuEBr',
  'Jd5RSMn5j9MIAk6JdJozpt1l3VWyu39xxqq6RPIvM1dnKQ==',
].join('');

const PEM_LINE = /.{1,64}/g;

/** Returns the certificate that verifies every signature of the embedded SNS, as `SigningCertURL` serves it. */
export function signingCertificate(): string {
  const lines = DEVELOPMENT_CERTIFICATE.match(PEM_LINE) ?? [];
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
}

const FINGERPRINT = createHash('md5').update(DEVELOPMENT_CERTIFICATE).digest('hex');

/** Returns the `SigningCertURL` of envelopes. */
export function signingCertUrl({ region, urlSuffix }: Place): string {
  return `https://sns.${region}.${urlSuffix}/SimpleNotificationService-${FINGERPRINT}.pem`;
}

const METHODS: readonly string[] = ['GET', 'HEAD'];

/**
 * Returns the host of SNS, which serves the signing certificate to every client in addition to the API.
 * @param api answers all other requests
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
