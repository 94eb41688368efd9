import { parseArn } from '../../../policy/arn';
import { MAIL_ADDRESS } from '../../../policy/limits/mail-address';
import { PHONE_NUMBER } from '../../../policy/limits/phone-number';
import { FIFO_PROTOCOLS, PROTOCOLS, type Protocol } from '../../../policy/outcome/protocol';
import { AwsError, notImplemented } from '../../kernel/aws-error';
import { isFifoName } from '../../kernel/fifo-name';
import { invalidParameter } from '../errors';
import type { Topic } from '../topic';
import { urlCredentials } from '../transports/authentication/url-credentials';

/** Makes the error for an endpoint that is none of the protocol, if it is none. */
type EndpointRule = (endpoint: string, topic: Topic) => AwsError | undefined;

/** SNS reaches endpoints of other accounts and Regions; a world is one account in one Region. */
function elsewhere(endpoint: string, noun: string, topic: Topic): AwsError | undefined {
  const [there, here] = [parseArn(endpoint), parseArn(topic.arn)];
  if (there?.account !== here?.account)
    return notImplemented(`a subscription of another account's ${noun} (${endpoint})`);
  if (there?.region !== here?.region) return notImplemented(`a subscription of another Region's ${noun} (${endpoint})`);
  return undefined;
}

/** @param kind what the resource of the ARN begins with */
function arnOf(service: string, kind: string, noun: string, problem: string): EndpointRule {
  return (endpoint, topic) => {
    const arn = parseArn(endpoint);
    const isOne = arn?.service === service && arn.resource.startsWith(kind);
    return isOne ? elsewhere(endpoint, noun, topic) : invalidParameter(problem);
  };
}

const emailRule: EndpointRule = endpoint =>
  MAIL_ADDRESS.test(endpoint) ? undefined : invalidParameter('Email address');

/** Whether what stands before the `@` can be read as credentials: a bare `%` escapes nothing. */
function hasReadableCredentials(endpoint: string): boolean {
  try {
    urlCredentials(endpoint);
    return true;
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
    return false;
  }
}

function urlRule(protocol: 'http' | 'https'): EndpointRule {
  return endpoint => {
    if (!endpoint.startsWith(`${protocol}://`)) return invalidParameter('Endpoint must match the specified protocol');
    if (!URL.canParse(endpoint) || !hasReadableCredentials(endpoint)) return invalidParameter('Endpoint');
    return new URL(endpoint).hostname.includes('_') ? invalidParameter('Unreachable Endpoint') : undefined;
  };
}

const queueArnRule = arnOf('sqs', '', 'queue', 'SQS endpoint ARN');

const queueRule: EndpointRule = (endpoint, topic) => {
  if (parseArn(endpoint)?.service === 'sqs' && isFifoName(endpoint) && !topic.fifo) {
    const reason = 'FIFO SQS Queues can not be subscribed to standard SNS topics';
    return invalidParameter(`Invalid parameter: Endpoint Reason: ${reason}`);
  }
  return queueArnRule(endpoint, topic);
};

/** As recorded, and without the words SNS puts before most. */
const smsRule: EndpointRule = endpoint =>
  PHONE_NUMBER.test(endpoint) ? undefined : new AwsError('InvalidParameter', `Invalid SMS endpoint: ${endpoint}`);

const RULES: Readonly<Record<Protocol, EndpointRule>> = {
  application: arnOf('sns', 'endpoint/', 'device', 'ApplicationEndpoint ARN'),
  email: emailRule,
  'email-json': emailRule,
  firehose: arnOf('firehose', 'deliverystream/', 'delivery stream', 'Firehose endpoint ARN'),
  http: urlRule('http'),
  https: urlRule('https'),
  lambda: arnOf('lambda', 'function:', 'function', 'Lambda endpoint ARN'),
  sms: smsRule,
  sqs: queueRule,
};

/** @throws AwsError when SNS has no such protocol, or the topic does not deliver by it */
export function protocolNamed(name: string | undefined, { fifo }: Topic): Protocol {
  const protocol = PROTOCOLS.find(known => known === name);
  if (!protocol) throw invalidParameter(`Amazon SNS does not support this protocol string: ${name ?? ''}`);
  if (fifo && !FIFO_PROTOCOLS.includes(protocol)) throw invalidParameter(`Invalid protocol type: ${protocol}`);
  return protocol;
}

/** @throws AwsError when the protocol has no such endpoints, or the topic may not have this one */
export function checkEndpoint(protocol: Protocol, endpoint: string, topic: Topic): void {
  const refusal = RULES[protocol](endpoint, topic);
  if (refusal) throw refusal;
}
