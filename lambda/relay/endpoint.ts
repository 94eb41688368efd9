import type { AddressGuards } from '../../policy/limits/address-guard';
import type { NotificationEnvelope } from '../../policy/messages/envelope';
import { relayVerdict } from '../../policy/relay/relay-rules';
import type { RelaySettings } from '../../policy/relay/relay-settings';
import { retryAfterSeconds } from '../../policy/relay/retry-after';
import type { NowMs } from '../shared/clock';
import type { Again, HttpAnswer, NoAnswer, Send } from '../shared/http-send';
import { messageOf } from '../shared/transport-error';
import { readEndpoint, readHeaders, readSigningKeys } from './endpoint-secrets';
import { requestHeaders } from './headers';
import type { Endpoint, NotReady, Posted, Ready } from './ports';
import { redaction } from './redaction';
import type { ReadSecret } from './secrets';
import { signatureHeaders } from './signature';

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
