import type { Message } from '@aws-sdk/client-sqs';
import type { DeployedStack } from '../cloudformation';
import { checkNames, type MemberNames } from '../kernel/member-reader';
import type { Simulation } from '../simulation';
import { serviceNamed } from './names';

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

/**
 * Publishes to a topic, as an administrator.
 *
 * @param id as `LocalAws.publish` takes it
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
  const topics = simulation.all.flatMap(services =>
    services.sns.topics().map(({ arn, name }) => ({ value: { services, arn }, names: [arn, name] })),
  );
  const { services, arn } = serviceNamed(stacks, 'topic', topics, id);
  const { MessageId = '' } = services.sns.call('Publish', services.sns.owner, {
    TopicArn: arn,
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
 * @param id as `LocalAws.send` takes it
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
  const { services, url } = queueNamed(simulation, stacks, id);
  const { MessageId = '' } = services.sqs.call('SendMessage', services.sqs.owner, {
    QueueUrl: url,
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
  const queues = simulation.all.flatMap(services =>
    services.sqs.queues().map(({ arn, name, url }) => ({ value: { services, url }, names: [arn, name, url] })),
  );
  return serviceNamed(stacks, 'queue', queues, id);
}

/**
 * Receives and deletes all messages of a queue that can be received now, as an administrator.
 *
 * @param id as `LocalAws.send` takes it
 */
export function drainQueue(
  simulation: Simulation,
  stacks: readonly DeployedStack[],
  id: string,
): readonly DrainedMessage[] {
  const { services, url } = queueNamed(simulation, stacks, id);
  const { sqs } = services;
  const drained: Message[] = [];
  for (;;) {
    const received = sqs.call('ReceiveMessage', sqs.owner, {
      QueueUrl: url,
      MaxNumberOfMessages: 10,
      WaitTimeSeconds: 0,
      MessageAttributeNames: ['All'],
      MessageSystemAttributeNames: ['All'],
    });
    if ('then' in received) throw new Error('a short poll must be answered immediately');
    const { Messages = [] } = received;
    if (Messages.length === 0) return drained.map(drainedMessage);
    for (const { ReceiptHandle } of Messages) sqs.call('DeleteMessage', sqs.owner, { QueueUrl: url, ReceiptHandle });
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
