import type { OutgoingRequest, Reply } from './network';
import { response } from './outside-endpoint';

/**
 * The addresses of the instance metadata service, from which an EC2 instance gets its credentials. Attackers try to
 * make servers connect there.
 *
 * @see https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/instancedata-data-retrieval.html
 */
export const METADATA_ADDRESSES: readonly string[] = ['169.254.169.254', 'fd00:ec2::254'];

/** The service speaks only HTTP. */
export const METADATA_PORT = 80;

const TOKEN_PATH = '/latest/api/token';
const MAX_TTL_SECONDS = 21_600;

/** One token for all clients, which never expires, so that runs stay reproducible. */
const TOKEN = Buffer.from('the token of the embedded instance metadata').toString('base64url');

const text = (status: number, body = ''): Reply =>
  response(status, body, { 'content-type': 'text/plain', server: 'EC2ws' });

/**
 * Answers like an instance metadata service that requires a token (IMDSv2): 401 without one, and a token for a `PUT`
 * with a time to live. There is no instance, so a request with a token is answered 404.
 *
 * @see https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/instance-metadata-v2-how-it-works.html
 */
export function instanceMetadata({ method, path, headers }: OutgoingRequest): Reply {
  if (path !== TOKEN_PATH) return text(headers['x-aws-ec2-metadata-token'] === TOKEN ? 404 : 401);
  if (method !== 'PUT') return text(405);
  // A request through a proxy does not come from the instance itself.
  if (headers['x-forwarded-for'] !== undefined) return text(403);
  const ttlSeconds = Number(headers['x-aws-ec2-metadata-token-ttl-seconds']);
  const isValid = Number.isInteger(ttlSeconds) && ttlSeconds >= 1 && ttlSeconds <= MAX_TTL_SECONDS;
  return isValid ? text(200, TOKEN) : text(400);
}
