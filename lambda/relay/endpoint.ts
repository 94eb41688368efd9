import type { NowMs } from '../../mover/clock';
import type { AddressGuards } from '../../policy/address-guard';
import type { NotificationEnvelope } from '../../policy/messages/envelope';
import { formatProblem, type Problem } from '../../policy/problem';
import { type FailedAttempt, relayVerdict, retryAfterSeconds } from '../../policy/relay/attempt-verdict';
import { type Headers, readSecretHeaders } from '../../policy/relay/headers';
import type { RelaySettings } from '../../policy/relay/relay-settings';
import { messageOf } from '../shared/connections';
import type { Again, HttpAnswer, NoAnswer, Send } from '../shared/http-send';
import { type DestinationReading, readDestination } from './destination';
import type { Endpoint, NotReady, Posted, Ready } from './ports';
import { redaction } from './redaction';
import { readSigningSecret, requestHeaders, type SigningKey, signatureHeaders } from './request-headers';
import type { ReadSecret } from './secrets';

/** What requests are made with. */
export interface EndpointParts {
  readonly settings: RelaySettings;
  readonly readSecret: ReadSecret;
  readonly guards: AddressGuards;
  readonly send: Send;
  readonly nowMs: NowMs;
}

/** As much of an answer as helps in a record. Our choice. */
const SHOWN_CHARACTERS = 1_000;

function postedOf(
  result: HttpAnswer | NoAnswer,
  { settings, nowMs }: EndpointParts,
  redact: (text: string) => string,
): Posted {
  const answered = result.kind === 'answered';
  const said = redact(answered ? result.body : messageOf(result.cause));
  const wanted = answered ? retryAfterSeconds(result.headers['retry-after'], nowMs()) : undefined;
  return {
    verdict: relayVerdict(result, settings),
    answer: said.slice(0, SHOWN_CHARACTERS),
    requests: result.requests,
    ...(answered && { statusCode: result.statusCode }),
    ...(answered && result.cut !== undefined && { cut: result.cut }),
    ...(wanted !== undefined && { retryAfterSeconds: wanted }),
  };
}

/** A redaction takes its time to prepare: of the same secrets it is the same. */
function lastRedaction(): typeof redaction {
  let last: { readonly key: string; readonly redact: ReturnType<typeof redaction> } | undefined;
  return secrets => {
    const key = JSON.stringify(secrets);
    if (last?.key !== key) last = { key, redact: redaction(secrets) };
    return last.redact;
  };
}

/** Our choice: an endpoint that refuses messages one after the other has Secrets Manager asked no more often than this. */
const LOOK_AGAIN_MS = 10_000;

/** What is no secret stays as it is for as long as the settings do, and is read once. */
function hasSecrets({ endpoint, headersSecretArn, signingSecretArn }: RelaySettings): boolean {
  return 'secretArn' in endpoint || headersSecretArn !== undefined || signingSecretArn !== undefined;
}

/** The endpoint of a relay, over HTTP: with the headers SNS sends, the user's own, and a signature. */
export function relayEndpoint(endpoint: EndpointParts): Endpoint {
  const { settings, readSecret, guards, send, nowMs } = endpoint;
  const { contentType, rawMessageDelivery } = settings;
  const redactionOf = lastRedaction();
  const readParts = (ask: ReadSecret) =>
    Promise.all([readEndpoint(settings, ask, guards), readHeaders(settings, ask), readSigningKeys(settings, ask)]);
  const readAnew = () => readParts(question => readSecret({ ...question, maxAgeMs: LOOK_AGAIN_MS }));
  const read = async (): Promise<Ready | NotReady> => {
    const parts = await readParts(readSecret);
    const [{ part: url, shown: destination }, secretHeaders, keys] = parts;
    if (url.kind === 'missing') return { kind: 'not-ready', destination, verdict: url.verdict };
    if (secretHeaders.kind === 'missing') return { kind: 'not-ready', destination, verdict: secretHeaders.verdict };
    if (keys.kind === 'missing') return { kind: 'not-ready', destination, verdict: keys.verdict };
    const redact = redactionOf([url, secretHeaders, keys].flatMap(({ secrets }) => secrets));
    const post = (envelope: NotificationEnvelope, whole: string, again: Again): Promise<Posted> => {
      const body = rawMessageDelivery ? envelope.Message : whole;
      const signed = { id: envelope.MessageId, atMs: nowMs(), body };
      const headers = requestHeaders({
        envelope,
        contentType,
        rawMessageDelivery,
        headers: settings.headers,
        secretHeaders: secretHeaders.value,
        ...(keys.value.length > 0 && { signature: signatureHeaders(keys.value, signed) }),
      });
      return send('POST', url.value, headers, body, again).then(result => postedOf(result, endpoint, redact));
    };
    const hasOldSecrets = async () =>
      hasSecrets(settings) && JSON.stringify(await readAnew()) !== JSON.stringify(parts);
    return { kind: 'ready', destination, post, hasOldSecrets };
  };
  if (hasSecrets(settings)) return read;
  const once = read();
  return () => once;
}

/** Something requests need, or why it is not there. */
export type Part<Value> =
  | { readonly kind: 'part'; readonly value: Value /** What no log may show. */; readonly secrets: readonly string[] }
  | { readonly kind: 'missing'; readonly verdict: FailedAttempt };

/** Where to, and how records show it. */
export interface Destination {
  readonly part: Part<URL>;
  readonly shown: string;
}

function missing(reason: string): Extract<Part<never>, { kind: 'missing' }> {
  return { kind: 'missing', verdict: { kind: 'retry', reason } };
}

function reasonOf(problems: readonly Problem[]): string {
  return problems.map(formatProblem).join('; ');
}

/** An address that stands in the settings stays forbidden. All else may be put right while the message waits. */
function partOf(reading: DestinationReading, secrets: readonly string[], isSecret: boolean): Part<URL> {
  if (reading.kind === 'destination') return { kind: 'part', value: reading.url, secrets };
  const reason = formatProblem(reading.problem);
  if (isSecret || reading.cause !== 'forbidden-address') return missing(reason);
  return { kind: 'missing', verdict: { kind: 'dead', cause: reading.cause, reason } };
}

const SCHEME_AND_HOST = /^[a-z]+:[\\/]*[^\\/?#]*/i;

/** What follows the host, which records show: as it was written, and as it is asked for. */
function secretsOf(reading: DestinationReading, text: string): readonly string[] {
  if (reading.kind === 'refused') return [];
  const { pathname, search } = reading.url;
  return [text.trim().replace(SCHEME_AND_HOST, ''), `${pathname}${search}`];
}

export async function readEndpoint(
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

/** The headers that are a secret; none where there is no such secret. */
export async function readHeaders(
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

/** The keys to sign with; none where requests are not signed. A previous one that is no key is as good as none. */
export async function readSigningKeys(
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
