import { PROTOCOLS, type Protocol } from '../../../lib/policy/protocol';
import { parseArn } from '../../kernel/arn';
import { invalidParameter } from '../errors';
import { basicCredentials } from '../transports/http-request';

/** What is wrong with an endpoint, in SNS's words after `Invalid parameter: `. */
type EndpointRule = (endpoint: string) => string | undefined;

function arnOf(service: string, problem: string): EndpointRule {
  return endpoint => (parseArn(endpoint)?.service === service ? undefined : problem);
}

const MAIL_ADDRESS = /^[^\s@]+@[^\s@]+$/;
const PHONE_NUMBER = /^\+?[0-9][0-9 ()./-]{4,}$/;

const emailRule: EndpointRule = endpoint => (MAIL_ADDRESS.test(endpoint) ? undefined : 'Email address');

/** Whether what stands before the `@` can be sent as basic credentials: a bare `%` escapes nothing. */
function hasReadableCredentials(endpoint: string): boolean {
  try {
    basicCredentials(endpoint);
    return true;
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
    return false;
  }
}

function urlRule(protocol: 'http' | 'https'): EndpointRule {
  return endpoint => {
    if (!endpoint.startsWith(`${protocol}://`)) return 'Endpoint must match the specified protocol';
    if (!URL.canParse(endpoint) || !hasReadableCredentials(endpoint)) return 'Endpoint';
    return new URL(endpoint).hostname.includes('_') ? 'Unreachable Endpoint' : undefined;
  };
}

const queueRule: EndpointRule = endpoint => {
  if (parseArn(endpoint)?.service !== 'sqs') return 'SQS endpoint ARN';
  const isFifo = endpoint.endsWith('.fifo');
  return isFifo
    ? 'Invalid parameter: Endpoint Reason: FIFO SQS Queues can not be subscribed to standard SNS topics'
    : undefined;
};

const RULES: Readonly<Record<Protocol, EndpointRule>> = {
  application: arnOf('sns', 'ApplicationEndpoint ARN'),
  email: emailRule,
  'email-json': emailRule,
  firehose: arnOf('firehose', 'Firehose endpoint ARN'),
  http: urlRule('http'),
  https: urlRule('https'),
  lambda: arnOf('lambda', 'Lambda endpoint ARN'),
  sms: endpoint => (PHONE_NUMBER.test(endpoint) ? undefined : `Invalid SMS endpoint: ${endpoint}`),
  sqs: queueRule,
};

/** @throws AwsError when SNS has no such protocol */
export function protocolNamed(name: string | undefined): Protocol {
  const protocol = PROTOCOLS.find(known => known === name);
  if (!protocol) throw invalidParameter(`Amazon SNS does not support this protocol string: ${name ?? ''}`);
  return protocol;
}

/** @throws AwsError when the protocol has no such endpoints */
export function checkEndpoint(protocol: Protocol, endpoint: string): void {
  const problem = RULES[protocol](endpoint);
  if (problem !== undefined) throw invalidParameter(problem);
}
