import { displayNameOf, nameInArn, parseArn } from '../../policy/arn';
import { isKnown } from '../../template/told';
import type { QueueFacts } from '../inventory/inventory';
import { addedStatement, type Statement } from './added-statement';
import type { Fix } from './fix';

/** A service of AWS, and the resource on whose behalf it comes. */
export interface ServiceFor {
  /** `sns.amazonaws.com`. */
  readonly service: string;
  /** A topic's, a rule's. */
  readonly sourceArn: string;
}

/** What a service is called among people. */
const SERVICES: Readonly<Record<string, string>> = {
  'sns.amazonaws.com': 'SNS',
  'events.amazonaws.com': 'EventBridge',
  'scheduler.amazonaws.com': 'EventBridge Scheduler',
  'cloudwatch.amazonaws.com': 'CloudWatch',
};

export function serviceName(service: string): string {
  return SERVICES[service] ?? service;
}

/** `SNS, for the topic orders`. */
export function whoIsLetIn({ service, sourceArn }: ServiceFor): string {
  const kind = parseArn(sourceArn)?.service === 'sns' ? 'the topic' : 'the rule';
  return `${serviceName(service)}, for ${kind} ${displayNameOf(sourceArn)}`;
}

/** A name for a statement. */
export function statementName({ service, sourceArn }: ServiceFor): string {
  const [prefix = ''] = service.split('.');
  return `Allow-${prefix}-${nameInArn(sourceArn)}`;
}

/** What lets a service send to a queue: for one resource, where it is known. */
export function sendStatement(
  queueArn: string,
  { service, sourceArn }: { readonly service: string; readonly sourceArn: string | undefined },
): Statement {
  return {
    Effect: 'Allow',
    Principal: { Service: service },
    Action: 'sqs:SendMessage',
    Resource: queueArn,
    ...(sourceArn !== undefined && { Condition: { ArnEquals: { 'aws:SourceArn': sourceArn } } }),
  };
}

/**
 * Lets a service send to a queue. Where the queue's policy or its URL is not known, there is only the statement.
 * @see https://docs.aws.amazon.com/sns/latest/dg/subscribe-sqs-queue-to-sns-topic.html
 */
export function allowSend(queue: QueueFacts, who: ServiceFor): Fix {
  const there = isKnown(queue.policy) ? queue.policy : undefined;
  const { statement, policy } = addedStatement(there, statementName(who), sendStatement(queue.arn, who));
  const says = `Let ${whoIsLetIn(who)}, send to the queue ${displayNameOf(queue.arn)}: add this statement to its policy.`;
  if (!isKnown(queue.policy) || queue.url === undefined) return { says, statement };
  const input = { QueueUrl: queue.url, Attributes: { Policy: policy } };
  return { says, statement, calls: [{ service: 'sqs', operation: 'SetQueueAttributes', input }] };
}
