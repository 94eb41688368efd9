import type { Message } from '@aws-sdk/client-sqs';
import type { DeployedStack } from '../cloudformation';
import type { PlaceServices } from '../place-services';
import type { Simulation } from '../simulation';
import { resourceMatches } from './state';

/** How a message is published. */
export interface PublishOptions {
  readonly subject?: string;
  /** String attributes, by name. */
  readonly attributes?: Readonly<Record<string, string>>;
  /** For a FIFO topic. */
  readonly groupId?: string;
  /** For a FIFO topic. @default - the topic derives it from the content */
  readonly deduplicationId?: string;
}

/** A message that was taken from a queue. */
export interface DrainedMessage {
  readonly messageId: string;
  readonly body: string;
  /** String attributes of the message, by name. */
  readonly attributes: Readonly<Record<string, string>>;
  /** How often it has been received, this time included. */
  readonly receiveCount: number;
}

interface Place<Found> {
  readonly services: PlaceServices;
  readonly found: Found;
}

/**
 * Publishes to a topic, as an administrator.
 *
 * @param id its name, ARN, logical id or construct path
 * @returns the message id
 */
export function publishTo(
  simulation: Simulation,
  stacks: readonly DeployedStack[],
  id: string,
  message: string | object,
  { subject, attributes = {}, groupId, deduplicationId }: PublishOptions = {},
): string {
  const topics = simulation.all.flatMap(services => services.sns.topics().map(found => ({ services, found })));
  const { services, found } = theOne(topics, stacks, id, 'topic');
  const strings = Object.entries(attributes).map(([name, StringValue]) => [name, { DataType: 'String', StringValue }]);
  const { MessageId = '' } = services.sns.call('Publish', services.sns.owner, {
    TopicArn: found.arn,
    Message: typeof message === 'string' ? message : JSON.stringify(message),
    ...(subject !== undefined && { Subject: subject }),
    ...(strings.length > 0 && { MessageAttributes: Object.fromEntries(strings) }),
    ...(groupId !== undefined && { MessageGroupId: groupId }),
    ...(deduplicationId !== undefined && { MessageDeduplicationId: deduplicationId }),
  });
  return MessageId;
}

/**
 * Receives and deletes all messages of a queue that can be received now, as an administrator.
 *
 * @param id its name, URL, ARN, logical id or construct path
 */
export function drainQueue(
  simulation: Simulation,
  stacks: readonly DeployedStack[],
  id: string,
): readonly DrainedMessage[] {
  const queues = simulation.all.flatMap(services => services.sqs.depths().map(found => ({ services, found })));
  const { services, found } = theOne(queues, stacks, id, 'queue');
  const { sqs } = services;
  const drained: Message[] = [];
  for (;;) {
    const received = sqs.call('ReceiveMessage', sqs.owner, {
      QueueUrl: found.url,
      MaxNumberOfMessages: 10,
      WaitTimeSeconds: 0,
      MessageAttributeNames: ['All'],
      MessageSystemAttributeNames: ['All'],
    });
    if ('then' in received) throw new Error('a short poll must be answered immediately');
    const { Messages = [] } = received;
    if (Messages.length === 0) return drained.map(drainedMessage);
    for (const { ReceiptHandle } of Messages)
      sqs.call('DeleteMessage', sqs.owner, { QueueUrl: found.url, ReceiptHandle });
    drained.push(...Messages);
  }
}

function drainedMessage({
  MessageId = '',
  Body = '',
  Attributes = {},
  MessageAttributes = {},
}: Message): DrainedMessage {
  const attributes = Object.entries(MessageAttributes).flatMap(([name, { StringValue }]) =>
    StringValue === undefined ? [] : [[name, StringValue]],
  );
  return {
    messageId: MessageId,
    body: Body,
    attributes: Object.fromEntries(attributes),
    receiveCount: Number(Attributes.ApproximateReceiveCount ?? 1),
  };
}

function theOne<Found extends { readonly name: string; readonly arn: string; readonly url?: string }>(
  all: readonly Place<Found>[],
  stacks: readonly DeployedStack[],
  id: string,
  what: 'topic' | 'queue',
): Place<Found> {
  const refs = resourceMatches(stacks, id).map(({ value }) => value.ref);
  const found = all.filter(({ found: { name, arn, url } }) => [name, arn, url].some(it => it === id));
  const [only, ...others] =
    found.length > 0 ? found : all.filter(({ found: { arn, url } }) => refs.includes(url ?? arn) || refs.includes(arn));
  if (!only)
    throw new Error(`there is no ${what} "${id}". There are ${all.map(it => it.found.name).join(', ') || 'none'}`);
  if (others.length === 0) return only;
  throw new Error(`"${id}" is ambiguous: use one of ${[only, ...others].map(it => it.found.arn).join(', ')}`);
}
