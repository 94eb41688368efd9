import type { AddressGuards } from '../../policy/limits/address-guard';
import { formatProblem, type Problem } from '../../policy/problem';
import { type Headers, readSecretHeaders } from '../../policy/relay/headers';
import type { RelaySettings } from '../../policy/relay/relay-settings';
import type { FailedAttempt } from '../../policy/relay/relay-step';
import { type DestinationReading, readDestination } from './destination';
import type { ReadSecret } from './secrets';
import { readSigningSecret, type SigningKey } from './signature';

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
