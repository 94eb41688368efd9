import type { TransportFailure } from '../../../policy/outcome/outcome';
import type { Random } from '../../kernel/random';
import type { Scheduler } from '../../kernel/timeline';
import type { Network, NoAnswer, OutgoingRequest, Reply } from '../../network/network';
import type { ControlMessageType, Envelopes } from '../envelope/envelopes';
import { authorizationFor, type UrlCredentials, urlCredentials } from './http-authentication';
import type { AttemptEnd, Delivery, Transport } from './transport';

/** How long SNS waits for a response. */
const TIMEOUT_MS = 15_000;

/** How much of a response body the delivery-status log shows. **Assumption SNS-24:** AWS does not publish this. */
const MAX_LOGGED_CHARACTERS = 1_024;

const FAILURES: Readonly<Record<NoAnswer, TransportFailure>> = {
  ENOTFOUND: 'name-not-resolved',
  ECONNREFUSED: 'connection-refused',
  ECONNRESET: 'connection-reset',
  ETIMEDOUT: 'timeout',
  CERT_HAS_EXPIRED: 'bad-certificate',
  // A response that is not valid HTTP counts as a reset connection.
  HPE_INVALID_CONSTANT: 'connection-reset',
};

/** @see https://repost.aws/knowledge-center/sns-troubleshoot-io-exception-error-http-https */
const IO_EXCEPTION = (): string => 'IO Exception in HttpClient';

/**
 * Posts to HTTP and HTTPS endpoints and waits 15 seconds for the answer. Redirects are not followed.
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-message-delivery-retries.html
 */
export class HttpTransport implements Transport {
  constructor(
    private readonly network: Network,
    private readonly envelopes: Envelopes,
    private readonly timeline: Scheduler,
    private readonly random: Random,
  ) {}

  attempt(delivery: Delivery, report: (end: AttemptEnd) => void): void {
    const { message, subscription } = delivery;
    const { rawMessageDelivery: raw, textKey } = subscription;
    const post: HttpPost = {
      messageType: 'Notification',
      messageId: message.id,
      topicArn: message.topic.arn,
      subscriptionArn: subscription.arn,
      raw,
      contentType: subscription.effectivePolicy.requestPolicy.headerContentType,
      body: raw ? message.bodyFor(textKey) : delivery.enveloped(this.envelopes).toString(),
    };
    this.post(subscription.endpoint, post, report);
  }

  post(endpoint: string, post: HttpPost, report: (end: AttemptEnd) => void): void {
    this.send({
      request: httpRequest(endpoint, post),
      deadlineMs: this.timeline.nowMs + TIMEOUT_MS,
      credentials: urlCredentials(endpoint),
      report,
    });
  }

  private send(exchange: Exchange): void {
    const reply = this.network.send(exchange.request);
    if (reply instanceof Promise) this.await(exchange, reply);
    else this.received(exchange, reply);
  }

  /** Ends the exchange with the response or at the deadline, whichever comes first. */
  private await(exchange: Exchange, answer: Promise<Reply>): void {
    let isOver = false;
    const deadline = this.timeline.at(exchange.deadlineMs, () => {
      isOver = true;
      exchange.report(unanswered('timeout'));
    });
    this.timeline.whenSettled(answer, result => {
      if (isOver) return;
      deadline.cancel();
      if (result.status === 'rejected') throw result.reason;
      this.received(exchange, result.value);
    });
  }

  /** Delivers a known response after its latency, or ends the exchange at the deadline if that is earlier. */
  private received(exchange: Exchange, reply: Reply): void {
    const { nowMs } = this.timeline;
    const arrivesAtMs = reply.kind === 'silence' ? Number.POSITIVE_INFINITY : nowMs + (reply.latencyMs ?? 0);
    if (reply.kind === 'silence' || arrivesAtMs >= exchange.deadlineMs) {
      this.timeline.at(exchange.deadlineMs, () => exchange.report(unanswered('timeout')));
    } else if (arrivesAtMs > nowMs) {
      this.timeline.at(arrivesAtMs, () => this.arrived(exchange, reply));
    } else {
      this.arrived(exchange, reply);
    }
  }

  private arrived(exchange: Exchange, reply: Exclude<Reply, { kind: 'silence' }>): void {
    const authorization = this.authorization(exchange, reply);
    if (authorization === undefined) {
      exchange.report(endOf(reply));
      return;
    }
    const { request } = exchange;
    const authorized = { ...request, headers: { ...request.headers, authorization } };
    this.send({ ...exchange, request: authorized, credentials: undefined });
  }

  /** Returns the `Authorization` header for an endpoint that answers 401. An exchange sends credentials once. */
  private authorization({ request, credentials }: Exchange, reply: Reply): string | undefined {
    if (!credentials || reply.kind !== 'response' || reply.status !== 401) return undefined;
    const challenge = reply.headers['www-authenticate'] ?? '';
    return authorizationFor(challenge, request, credentials, () => this.random.hex(NONCE_LENGTH));
  }
}

function unanswered(failure: TransportFailure): AttemptEnd {
  return { outcome: { kind: 'unanswered', failure }, providerResponse: IO_EXCEPTION };
}

function endOf(reply: Exclude<Reply, { kind: 'silence' }>): AttemptEnd {
  if (reply.kind === 'no-answer') return unanswered(FAILURES[reply.code]);
  return {
    outcome: { kind: 'answered', statusCode: reply.status },
    providerResponse: () => Buffer.from(reply.body).toString('utf8').slice(0, MAX_LOGGED_CHARACTERS),
  };
}

/** Hexadecimal digits of the client nonce. */
const NONCE_LENGTH = 16;

/** A request that waits for a response until `deadlineMs`. */
interface Exchange {
  readonly request: OutgoingRequest;
  readonly deadlineMs: number;
  /** Sent only to an endpoint that asks for credentials. */
  readonly credentials: UrlCredentials | undefined;
  readonly report: (end: AttemptEnd) => void;
}

interface HttpPost {
  readonly messageType: 'Notification' | ControlMessageType;
  readonly messageId: string;
  readonly topicArn: string;
  /** Not sent in a request to confirm a subscription. */
  readonly subscriptionArn?: string;
  /** Whether the body is the message without its envelope (raw message delivery). */
  readonly raw?: boolean;
  readonly contentType: string;
  readonly body: string;
}

const DEFAULT_PORTS = { http: 80, https: 443 } as const;

function sender({ messageType, messageId, topicArn, subscriptionArn, raw }: HttpPost): Record<string, string> {
  return {
    'x-amz-sns-message-type': messageType,
    'x-amz-sns-message-id': messageId,
    'x-amz-sns-topic-arn': topicArn,
    ...(subscriptionArn !== undefined && { 'x-amz-sns-subscription-arn': subscriptionArn }),
    ...(raw && { 'x-amz-sns-rawdelivery': 'true' }),
  };
}

/**
 * Returns the HTTP request with which SNS sends `post` to `endpoint`.
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-http-https-endpoint-as-subscriber.html
 */
export function httpRequest(endpoint: string, post: HttpPost): OutgoingRequest {
  const url = new URL(endpoint);
  const protocol = url.protocol === 'https:' ? 'https' : 'http';
  const body = Buffer.from(post.body);
  return {
    protocol,
    host: url.hostname,
    port: url.port === '' ? DEFAULT_PORTS[protocol] : Number(url.port),
    method: 'POST',
    path: `${url.pathname}${url.search}`,
    headers: {
      ...sender(post),
      'content-length': String(body.byteLength),
      'content-type': post.contentType,
      host: url.host,
      connection: 'Keep-Alive',
      'user-agent': 'Amazon Simple Notification Service Agent',
      'accept-encoding': 'gzip,deflate',
    },
    body,
  };
}
