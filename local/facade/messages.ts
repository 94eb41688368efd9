import type { Message } from '@aws-sdk/client-sqs';
import type { DeployedStack } from '../cloudformation';
import { checkNames, type MemberNames } from '../kernel/member-reader';
import type { PlaceServices } from '../place-services';
import type { Simulation } from '../simulation';
import { resourceMatches } from './state';

/** How a message is sent to a queue. */
export interface SendOptions {
  /** String attributes, by name. */
  readonly attributes?: Readonly<Record<string, string>>;
  /** For FIFO queues and topics. */
  readonly groupId?: string;
  /** For FIFO queues and topics. @default - derived from the content, if the queue or topic is configured so */
  readonly deduplicationId?: string;
}

/** How a message is published. */
export interface PublishOptions extends SendOptions {
  readonly subject?: string;
}

const SEND: MemberNames<SendOptions> = { attributes: true, groupId: true, deduplicationId: true };
const PUBLISH: MemberNames<PublishOptions> = { subject: true, ...SEND };

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
  options: PublishOptions = {},
): string {
  checkNames(options, 'the options', PUBLISH);
  const { subject, attributes = {}, groupId, deduplicationId } = options;
  const topics = simulation.all.flatMap(services => services.sns.topics().map(found => ({ services, found })));
  const { services, found } = theOne(topics, stacks, id, 'topic');
  const { MessageId = '' } = services.sns.call('Publish', services.sns.owner, {
    TopicArn: found.arn,
    Message: textOf(message),
    ...(subject !== undefined && { Subject: subject }),
    ...messageAttributes(attributes),
    ...(groupId !== undefined && { MessageGroupId: groupId }),
    ...(deduplicationId !== undefined && { MessageDeduplicationId: deduplicationId }),
  });
  return MessageId;
}

/**
 * Sends a message to a queue, as an administrator.
 *
 * @param id its name, URL, ARN, logical id or construct path
 * @returns the message id
 */
export function sendTo(
  simulation: Simulation,
  stacks: readonly DeployedStack[],
  id: string,
  message: string | object,
  options: SendOptions = {},
): string {
  checkNames(options, 'the options', SEND);
  const { attributes = {}, groupId, deduplicationId } = options;
  const { services, found } = queueNamed(simulation, stacks, id);
  const { MessageId = '' } = services.sqs.call('SendMessage', services.sqs.owner, {
    QueueUrl: found.url,
    MessageBody: textOf(message),
    ...messageAttributes(attributes),
    ...(groupId !== undefined && { MessageGroupId: groupId }),
    ...(deduplicationId !== undefined && { MessageDeduplicationId: deduplicationId }),
  });
  return MessageId;
}

const textOf = (message: string | object): string => (typeof message === 'string' ? message : JSON.stringify(message));

function messageAttributes(attributes: Readonly<Record<string, string>>) {
  const strings = Object.entries(attributes).map(([name, StringValue]) => [name, { DataType: 'String', StringValue }]);
  return strings.length > 0 && { MessageAttributes: Object.fromEntries(strings) };
}

function queueNamed(simulation: Simulation, stacks: readonly DeployedStack[], id: string) {
  const queues = simulation.all.flatMap(services => services.sqs.queues().map(found => ({ services, found })));
  return theOne(queues, stacks, id, 'queue');
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
  const { services, found } = queueNamed(simulation, stacks, id);
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
  const named = all.filter(({ found: { name, arn, url } }) => name === id || arn === id || url === id);
  const [only, ...others] = named.length > 0 ? named : withRef(all, stacks, id);
  if (!only)
    throw new Error(`there is no ${what} "${id}". There are ${all.map(it => it.found.name).join(', ') || 'none'}`);
  if (others.length === 0) return only;
  throw new Error(`"${id}" is ambiguous: use one of ${[only, ...others].map(it => it.found.arn).join(', ')}`);
}

/** @param id a logical id or construct path */
function withRef<Found extends { readonly arn: string; readonly url?: string }>(
  all: readonly Place<Found>[],
  stacks: readonly DeployedStack[],
  id: string,
): readonly Place<Found>[] {
  const refs = resourceMatches(stacks, id).map(({ value }) => value.ref);
  return all.filter(({ found: { arn, url } }) => refs.includes(url ?? arn) || refs.includes(arn));
}
