import { createPrivateKey, type KeyObject, sign } from 'node:crypto';
import type { SignatureVersion } from '../topic';
import { DEVELOPMENT_KEY } from './development-key';

/** What a signature covers: the members of an envelope that are present, by name. */
export type SignedMembers = Readonly<Record<string, string | undefined>>;

const ALGORITHMS: Readonly<Record<SignatureVersion, string>> = { '1': 'RSA-SHA1', '2': 'RSA-SHA256' };

const OF_A_CONFIRMATION = ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'] as const;

/** The members that count, in the order of their bytes. */
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
 * The text a signature is made over: each member's name and value on lines of their own.
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-verify-signature-of-message.html
 */
function stringToSign(members: SignedMembers): string {
  return (SIGNED[members['Type'] ?? ''] ?? [])
    .filter(name => members[name] !== undefined)
    .map(name => `${name}\n${members[name]}\n`)
    .join('');
}

/** The signature of an envelope, in base64. The same members have the same signature in every run. */
export function signatureOf(members: SignedMembers, version: SignatureVersion): string {
  return sign(ALGORITHMS[version], Buffer.from(stringToSign(members)), developmentKey()).toString('base64');
}
