import type { NowMs } from '../../mover/aws/clock';
import type { AddressGuards } from '../../policy/address-guard';
import { type NotificationEnvelope, subscriptionArnOf } from '../../policy/messages/envelope';
import { formatProblem, type Problem } from '../../policy/problem';
import type { FailedAttempt } from '../../policy/relay/attempt-verdict';
import { type DestinationReading, readDestination } from '../../policy/relay/destination';
import { type Headers, readSecretHeaders } from '../../policy/relay/headers';
import { readClientCredentials } from '../../policy/relay/oauth';
import type { RelaySettings } from '../../policy/relay/relay-settings';
import { readSigningSecret, type SigningKey } from '../../policy/relay/signing-secret';
import { type AccessToken, accessToken, type CredentialsAnswer } from '../shared/access-token';
import { httpEndpoint } from '../shared/http-endpoint';
import type { Again, Send } from '../shared/http-send';
import { lastRedaction } from '../shared/redaction';
import type { Endpoint, NotReady, Ready } from './ports';
import type { ReadSecret } from './secrets';

/**
 * Returns the headers that SNS would send.
 * @see https://docs.aws.amazon.com/sns/latest/dg/http-header.html
 */
export function snsHeaders(envelope: NotificationEnvelope, rawMessageDelivery: boolean): Headers {
  const subscriptionArn = subscriptionArnOf(envelope);
  return {
    'x-amz-sns-message-type': envelope.Type,
    'x-amz-sns-message-id': envelope.MessageId,
    'x-amz-sns-topic-arn': envelope.TopicArn,
    ...(subscriptionArn !== undefined && { 'x-amz-sns-subscription-arn': subscriptionArn }),
    ...(rawMessageDelivery && { 'x-amz-sns-rawdelivery': 'true' }),
  };
}

/** What `relayEndpoint` needs. */
export interface EndpointParts {
  readonly settings: RelaySettings;
  readonly readSecret: ReadSecret;
  readonly guards: AddressGuards;
  readonly send: Send;
  readonly sendForToken: Send;
  readonly nowMs: NowMs;
}

/** An endpoint that refuses one message after another causes at most one read of its secrets in this time. */
const REREAD_AFTER_MS = 10_000;

/** Without secrets the endpoint never changes, and is read once. */
function hasSecrets({ endpoint, headersSecretArn, signingSecretArn }: RelaySettings): boolean {
  return 'secretArn' in endpoint || headersSecretArn !== undefined || signingSecretArn !== undefined;
}

/** Posts to the HTTP endpoint of a relay, with SNS's headers, the user's own headers and a signature. */
export function relayEndpoint(endpoint: EndpointParts): Endpoint {
  const { settings, readSecret, guards, send, nowMs } = endpoint;
  const { contentType, rawMessageDelivery, deadStatuses } = settings;
  const redactionOf = lastRedaction();
  const tokens = accessTokenOf(endpoint);
  const readParts = (ask: ReadSecret) =>
    Promise.all([readEndpoint(settings, ask, guards), readHeaders(settings, ask), readSigningKeys(settings, ask)]);
  const readAgain = () => readParts(question => readSecret({ ...question, maxAgeMs: REREAD_AFTER_MS }));
  const read = async (): Promise<Ready | NotReady> => {
    const parts = await readParts(readSecret);
    const [{ part: url, shown: destination }, secretHeaders, keys] = parts;
    if (url.kind === 'missing') return { kind: 'not-ready', destination, verdict: url.verdict };
    if (secretHeaders.kind === 'missing') return { kind: 'not-ready', destination, verdict: secretHeaders.verdict };
    if (keys.kind === 'missing') return { kind: 'not-ready', destination, verdict: keys.verdict };
    const issued = await tokens?.get();
    if (issued?.kind === 'none') return { kind: 'not-ready', destination, verdict: missing(issued.reason).verdict };
    const bearer = tokens && issued && { token: issued.token, renew: () => tokens.renew(issued.token) };
    const { post: postMessage } = httpEndpoint({
      url: url.value,
      contentType,
      headers: [settings.headers, secretHeaders.value],
      ...(bearer && { bearer }),
      signingKeys: keys.value,
      deadStatuses,
      secrets: [url, secretHeaders, keys].flatMap(({ secrets }) => secrets),
      redactionOf,
      send,
      nowMs,
    });
    const post = (envelope: NotificationEnvelope, whole: string, again: Again) => {
      const body = rawMessageDelivery ? envelope.Message : whole;
      return postMessage({ id: envelope.MessageId, body, headers: snsHeaders(envelope, rawMessageDelivery) }, again);
    };
    const hasOldSecrets = async () =>
      hasSecrets(settings) && JSON.stringify(await readAgain()) !== JSON.stringify(parts);
    return { kind: 'ready', destination, post, hasOldSecrets };
  };
  if (hasSecrets(settings) || tokens) return read;
  const once = read();
  return () => once;
}

/** The access token of the endpoint; undefined if its requests carry none. */
function accessTokenOf({ settings, readSecret, guards, sendForToken, nowMs }: EndpointParts): AccessToken | undefined {
  const { authorization } = settings;
  if (!authorization) return undefined;
  const { credentialsSecretArn: secretArn, ...request } = authorization;
  const credentials = async (): Promise<CredentialsAnswer> => {
    const answer = await readSecret({ secretArn, maxAgeMs: REREAD_AFTER_MS });
    const none = (reason: string) => ({ kind: 'none', reason }) as const;
    if (answer.kind === 'unreadable') return none(`the client’s secret cannot be read: ${answer.reason}`);
    const reading = readClientCredentials(`the client’s secret ${secretArn}`, answer.values[0]);
    return reading.kind === 'malformed' ? none(reasonOf(reading.problems)) : reading;
  };
  return accessToken({ request, credentials, guards, send: sendForToken, nowMs });
}

/** Something a request needs, or why it is missing. */
type Part<Value> =
  | { readonly kind: 'part'; readonly value: Value /** No log may show them. */; readonly secrets: readonly string[] }
  | { readonly kind: 'missing'; readonly verdict: FailedAttempt };

/** The endpoint's URL, and how logs show it. */
interface Destination {
  readonly part: Part<URL>;
  readonly shown: string;
}

function missing(reason: string): Extract<Part<never>, { kind: 'missing' }> {
  return { kind: 'missing', verdict: { kind: 'retry', reason } };
}

function reasonOf(problems: readonly Problem[]): string {
  return problems.map(formatProblem).join('; ');
}

/** A forbidden address in the settings stays forbidden. Everything else may be corrected while the message waits. */
function partOf(reading: DestinationReading, secrets: readonly string[], isSecret: boolean): Part<URL> {
  if (reading.kind === 'destination') return { kind: 'part', value: reading.url, secrets };
  const reason = formatProblem(reading.problem);
  if (isSecret || reading.cause !== 'forbidden-address') return missing(reason);
  return { kind: 'missing', verdict: { kind: 'dead', cause: reading.cause, reason } };
}

const SCHEME_AND_HOST = /^[a-z]+:[\\/]*[^\\/?#]*/i;

/** What follows the host, as it was written and as it is requested. Logs show only the host. */
function secretsOf(reading: DestinationReading, text: string): readonly string[] {
  if (reading.kind === 'refused') return [];
  const { pathname, search } = reading.url;
  return [text.trim().replace(SCHEME_AND_HOST, ''), `${pathname}${search}`];
}

async function readEndpoint(
  { endpoint }: RelaySettings,
  readSecret: ReadSecret,
  guards: AddressGuards,
): Promise<Destination> {
  if ('url' in endpoint) {
    const reading = readDestination('the endpoint', endpoint.url, guards, false);
    return { part: partOf(reading, [], false), shown: reading.shown };
  }
  const { secretArn } = endpoint;
  const answer = await readSecret(endpoint);
  if (answer.kind === 'unreadable') {
    return { part: missing(`the endpoint’s secret cannot be read: ${answer.reason}`), shown: secretArn };
  }
  const [text] = answer.values;
  const reading = readDestination(`the endpoint’s secret ${secretArn}`, text, guards, true);
  return { part: partOf(reading, secretsOf(reading, text), true), shown: reading.shown };
}

/** Reads the secret headers. Without a secret there are none. */
async function readHeaders(
  { headersSecretArn: secretArn }: RelaySettings,
  readSecret: ReadSecret,
): Promise<Part<Headers>> {
  if (secretArn === undefined) return { kind: 'part', value: {}, secrets: [] };
  const answer = await readSecret({ secretArn });
  if (answer.kind === 'unreadable') return missing(`the headers’ secret cannot be read: ${answer.reason}`);
  const reading = readSecretHeaders(`the headers’ secret ${secretArn}`, answer.values[0]);
  if (reading.kind === 'malformed') return missing(reasonOf(reading.problems));
  return { kind: 'part', value: reading.headers, secrets: Object.values(reading.headers) };
}

/** Reads the keys to sign with. Without a signing secret there are none. A previous version that is malformed is ignored. */
async function readSigningKeys(
  { signingSecretArn: secretArn }: RelaySettings,
  readSecret: ReadSecret,
): Promise<Part<readonly SigningKey[]>> {
  if (secretArn === undefined) return { kind: 'part', value: [], secrets: [] };
  const answer = await readSecret({ secretArn, withPrevious: true });
  if (answer.kind === 'unreadable') return missing(`the signing secret cannot be read: ${answer.reason}`);
  const property = `the signing secret ${secretArn}`;
  const [current, ...previous] = answer.values.map(text => readSigningSecret(property, text));
  if (current?.kind !== 'key') return missing(reasonOf(current ? [current.problem] : []));
  const keys = [current, ...previous].flatMap(reading => (reading.kind === 'key' ? [reading.key] : []));
  return { kind: 'part', value: keys, secrets: answer.values.map(text => text.trim()) };
}
