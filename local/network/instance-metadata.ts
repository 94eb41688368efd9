import type { OutgoingRequest, Reply } from './network';
import { response } from './outside-endpoint';

/**
 * Where an EC2 instance asks for its credentials, which is where an attacker wants a server to connect to.
 *
 * @see https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/instancedata-data-retrieval.html
 */
export const METADATA_ADDRESSES: readonly string[] = ['169.254.169.254', 'fd00:ec2::254'];

/** It speaks HTTP only. */
export const METADATA_PORT = 80;

const TOKEN_PATH = '/latest/api/token';
const MAX_TTL_SECONDS = 21_600;

/** Our choice: one token for everybody, which never expires. */
const TOKEN = Buffer.from('the token of the embedded instance metadata').toString('base64url');

const text = (status: number, body = ''): Reply =>
  response(status, body, { 'content-type': 'text/plain', server: 'EC2ws' });

/**
 * Answers as the instance metadata service does where a token is required (IMDSv2): 401 without one, and a token for
 * whoever asks by `PUT` with a time to live. There is no instance, and so nothing to be had with a token: 404.
 *
 * @see https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/instance-metadata-v2-how-it-works.html
 */
export function instanceMetadata({ method, path, headers }: OutgoingRequest): Reply {
  if (path !== TOKEN_PATH) return text(headers['x-aws-ec2-metadata-token'] === TOKEN ? 404 : 401);
  if (method !== 'PUT') return text(405);
  // What came through a proxy is not the instance's own question.
  if (headers['x-forwarded-for'] !== undefined) return text(403);
  const ttlSeconds = Number(headers['x-aws-ec2-metadata-token-ttl-seconds']);
  const isValid = Number.isInteger(ttlSeconds) && ttlSeconds >= 1 && ttlSeconds <= MAX_TTL_SECONDS;
  return isValid ? text(200, TOKEN) : text(400);
}
