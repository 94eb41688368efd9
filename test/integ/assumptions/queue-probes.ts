import { PublishCommand } from '@aws-sdk/client-sns';
import {
  ChangeMessageVisibilityCommand,
  CreateQueueCommand,
  DeleteQueueCommand,
  TagQueueCommand,
} from '@aws-sdk/client-sqs';
import { type Probe, type ProbedQueue, refusal, withoutParticulars } from './probe';

/** SQS takes up to 60 seconds for a change of attributes, and for the deletion of a queue. */
const ATTRIBUTES_TAKE_SECONDS = 90;

const NUMBERS = ['1e3', '-0.5', '.5', '5.', '+1', '1e400', '0x10', ' 1', '1_000', 'NaN'];

/** Which of the numbers are accepted. */
async function acceptedNumbers(send: (StringValue: string) => Promise<unknown>): Promise<string> {
  const accepted: string[] = [];
  for (const number of NUMBERS) if ((await refusal(send(number))) === 'accepted') accepted.push(number);
  return accepted.join(' ');
}

const statements = (count: number, more: object = {}): string =>
  JSON.stringify({
    Version: '2012-10-17',
    Statement: Array.from({ length: count }, (_, i) => ({
      Sid: `S${i}`,
      Effect: 'Allow',
      Principal: '*',
      Action: 'sqs:SendMessage',
      Resource: '*',
      Condition: { StringEquals: { 'aws:SourceAccount': '111122223333' } },
      ...more,
    })),
  });

const OPERATORS = ['StringEquals', 'StringLike', 'StringNotEquals', 'StringNotLike'];
const KEYS = ['aws:SourceArn', 'aws:SourceAccount', 'aws:PrincipalArn'];

/** At most twelve conditions: one operator with one key each. */
function conditions(count: number): Readonly<Record<string, Readonly<Record<string, string>>>> {
  const pairs = OPERATORS.flatMap(operator => KEYS.map(key => ({ operator, key }))).slice(0, count);
  const keysOf = (operator: string) => pairs.filter(pair => pair.operator === operator).map(({ key }) => [key, 'x']);
  const used = OPERATORS.filter(operator => pairs.some(pair => pair.operator === operator));
  return Object.fromEntries(used.map(operator => [operator, Object.fromEntries(keysOf(operator))]));
}

/** A policy of one byte more than 8,192, of which most are spaces. */
function spacedPolicy(): string {
  const policy = statements(1);
  return policy.replace('{', `{${' '.repeat(8_193 - policy.length)}`);
}

/** Moves the only message of a queue to its dead-letter queue, whose `maxReceiveCount` is 1. */
async function exhaust(queue: ProbedQueue): Promise<void> {
  await queue.receive();
  await queue.receive(0, 3);
}

const group = (MessageGroupId: string, MessageDeduplicationId: string) => ({ MessageGroupId, MessageDeduplicationId });

export const QUEUE_PROBES: readonly Probe[] = [
  {
    id: 'SQS-1',
    question: 'How are attributes set as True and 007 shown?',
    assumed: 'true and 7',
    queues: { Queue: {} },
    ask: async aws => {
      const queue = aws.queue('Queue');
      await queue.set({ SqsManagedSseEnabled: 'True', VisibilityTimeout: '007' });
      await aws.aws.pass(ATTRIBUTES_TAKE_SECONDS);
      const { SqsManagedSseEnabled, VisibilityTimeout } = await queue.attributes();
      return `${SqsManagedSseEnabled} and ${VisibilityTimeout}`;
    },
  },
  {
    id: 'SQS-2',
    question: 'How is a redrive policy with spaces and a text as its number shown?',
    assumed: '{"deadLetterTargetArn":"<ARN>","maxReceiveCount":3}',
    queues: { Dead: {}, Queue: {} },
    ask: async aws => {
      const deadLetterTargetArn = await aws.queue('Dead').arn();
      const policy = JSON.stringify({ maxReceiveCount: '3', deadLetterTargetArn }, undefined, 2);
      await aws.queue('Queue').set({ RedrivePolicy: policy });
      await aws.aws.pass(ATTRIBUTES_TAKE_SECONDS);
      return withoutParticulars((await aws.queue('Queue').attributes())['RedrivePolicy'] ?? 'nothing');
    },
  },
  {
    id: 'SQS-3',
    question: 'Is a redrive policy with an unknown member refused?',
    assumed:
      'InvalidParameterValue: Value {"deadLetterTargetArn":"<ARN>","maxReceiveCount":3,"maxRecieveCount":3} for parameter RedrivePolicy is invalid. Reason: Unknown member maxRecieveCount. Its members are deadLetterTargetArn and maxReceiveCount.',
    queues: { Dead: {}, Queue: {} },
    ask: async aws => {
      const deadLetterTargetArn = await aws.queue('Dead').arn();
      const policy = JSON.stringify({ deadLetterTargetArn, maxReceiveCount: 3, maxRecieveCount: 3 });
      return refusal(aws.queue('Queue').set({ RedrivePolicy: policy }));
    },
  },
  {
    id: 'SQS-4',
    question: 'Does CreateQueue return an existing queue whose tags differ?',
    assumed: 'accepted',
    queues: { Queue: {} },
    ask: async aws => {
      const { url } = aws.queue('Queue');
      const QueueName = url.split('/').pop();
      return refusal(aws.aws.sqs.send(new CreateQueueCommand({ QueueName, tags: { other: 'tag' } })));
    },
  },
  {
    id: 'SQS-5',
    question: 'The texts for a tag with an invalid character, and with 257 characters',
    assumed:
      'InvalidParameterValue: Tags can hold letters, digits, spaces and _ . : / = + - @ only; got a<b; InvalidParameterValue: Tag values must be between 0 and 256 characters in length.',
    queues: { Queue: {} },
    ask: async aws => {
      const { url: QueueUrl } = aws.queue('Queue');
      const tag = (Tags: Record<string, string>) => refusal(aws.aws.sqs.send(new TagQueueCommand({ QueueUrl, Tags })));
      return `${await tag({ 'a<b': 'x' })}; ${await tag({ a: 'x'.repeat(257) })}`;
    },
  },
  {
    id: 'SQS-6',
    question: 'What does ChangeMessageVisibility do after the timeout, on a standard and on a FIFO queue?',
    assumed:
      'standard: accepted, hidden; FIFO: InvalidParameterValue: Value <handle> for parameter ReceiptHandle is invalid. Reason: Message does not exist or is not available for visibility timeout change.',
    queues: { Standard: {}, Fifo: { fifo: true } },
    ask: async aws => {
      const hide = ({ url: QueueUrl }: ProbedQueue, ReceiptHandle: string | undefined) =>
        aws.aws.sqs.send(new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout: 60 }));
      const [standard, fifo] = [aws.queue('Standard'), aws.queue('Fifo')];
      await standard.send('message');
      await fifo.send('message', group('g', '1'));
      const [one, two] = [await standard.receive(1), await fifo.receive(1)];
      await aws.aws.pass(5);
      const answers = [
        await refusal(hide(standard, one?.ReceiptHandle)),
        await refusal(hide(fifo, two?.ReceiptHandle)),
      ];
      const hidden = (await standard.receive(0, 3)) ? 'visible' : 'hidden';
      return `standard: ${answers[0]}, ${hidden}; FIFO: ${answers[1]}`;
    },
  },
  {
    id: 'SQS-9',
    question: 'Does a message move to a dead-letter queue that has denied it since?',
    assumed: 'the dead-letter queue has message',
    queues: { Dead: {}, Queue: { deadLetters: 'Dead' } },
    ask: async aws => {
      const [dead, queue] = [aws.queue('Dead'), aws.queue('Queue')];
      const set = await refusal(dead.set({ RedriveAllowPolicy: JSON.stringify({ redrivePermission: 'denyAll' }) }));
      if (set !== 'accepted') return set;
      await aws.aws.pass(ATTRIBUTES_TAKE_SECONDS);
      await queue.send('message');
      await exhaust(queue);
      return `the dead-letter queue has ${await dead.body()}`;
    },
  },
  {
    id: 'SQS-10',
    question: 'Does each queue of a chain of dead-letter queues count its own receives?',
    assumed: 'in the second queue: received with count 2; in the third: message',
    queues: { Last: {}, Dead: { deadLetters: 'Last' }, Queue: { deadLetters: 'Dead' } },
    ask: async aws => {
      await aws.queue('Queue').send('message');
      await exhaust(aws.queue('Queue'));
      const message = await aws.queue('Dead').receive();
      const received = message ? `received with count ${message.Attributes?.ApproximateReceiveCount}` : 'not received';
      await aws.queue('Dead').receive(0, 3);
      return `in the second queue: ${received}; in the third: ${await aws.queue('Last').body()}`;
    },
  },
  {
    id: 'SQS-11',
    question: 'Is a message received whose dead-letter queue is gone, or is its own queue?',
    assumed: 'gone: message; its own queue: accepted, message',
    queues: { Dead: {}, Queue: { deadLetters: 'Dead' }, Ring: {} },
    ask: async aws => {
      const [queue, ring] = [aws.queue('Queue'), aws.queue('Ring')];
      await aws.aws.sqs.send(new DeleteQueueCommand({ QueueUrl: aws.queue('Dead').url }));
      const itself = JSON.stringify({ deadLetterTargetArn: await ring.arn(), maxReceiveCount: 1 });
      const set = await refusal(ring.set({ RedrivePolicy: itself }));
      await aws.aws.pass(ATTRIBUTES_TAKE_SECONDS);
      for (const it of [queue, ring]) await it.send('message');
      for (const it of [queue, ring]) await exhaust(it);
      return `gone: ${await queue.body()}; its own queue: ${set}, ${await ring.body()}`;
    },
  },
  {
    id: 'SQS-12',
    question: 'Do the sequence numbers of a FIFO queue grow across groups?',
    assumed: 'they grow',
    queues: { Queue: { fifo: true } },
    ask: async aws => {
      const numbers: bigint[] = [];
      for (const name of ['a', 'b', 'a', 'c']) {
        const sent = await aws.queue('Queue').send(name, group(name, `${numbers.length}`));
        numbers.push(BigInt(sent.SequenceNumber ?? 0));
      }
      return numbers.every((number, i) => i === 0 || number > (numbers[i - 1] ?? 0n)) ? 'they grow' : `${numbers}`;
    },
  },
  {
    id: 'SQS-13',
    question: 'Does a duplicate restart the five minutes of deduplication?',
    assumed: 'after 240 s a duplicate, after 315 s new',
    queues: { Queue: { fifo: true } },
    ask: async aws => {
      const queue = aws.queue('Queue');
      const send = async () => (await queue.send('message', group('g', 'same'))).MessageId;
      const first = await send();
      await aws.aws.pass(240);
      const duplicate = await send();
      await aws.aws.pass(75);
      const third = await send();
      return `after 240 s ${duplicate === first ? 'a duplicate' : 'new'}, after 315 s ${third === first ? 'a duplicate' : 'new'}`;
    },
  },
  {
    id: 'SQS-15',
    question: 'In which order are groups served whose messages became visible again?',
    assumed: 'a b c a',
    queues: { Queue: { fifo: true } },
    ask: async aws => {
      const queue = aws.queue('Queue');
      for (const name of ['a', 'b', 'c']) await queue.send(name, group(name, name));
      const order: string[] = [];
      for (let i = 0; i < 4; i += 1) {
        order.push(await queue.body());
        await aws.aws.pass(1);
      }
      return order.join(' ');
    },
  },
  {
    id: 'SQS-19',
    question: `Which of these is a Number: ${NUMBERS.map(number => JSON.stringify(number)).join(', ')}`,
    assumed: 'SQS: 1e3 -0.5 .5 5. +1; SNS: 1e3 -0.5 .5 5. +1',
    queues: { Queue: {} },
    topics: { Topic: {} },
    ask: async aws => {
      const attributes = (StringValue: string) => ({ n: { DataType: 'Number', StringValue } });
      const TopicArn = aws.topicArn('Topic');
      const sqs = await acceptedNumbers(n => aws.queue('Queue').send('x', { MessageAttributes: attributes(n) }));
      const sns = await acceptedNumbers(n =>
        aws.aws.sns.send(new PublishCommand({ TopicArn, Message: 'x', MessageAttributes: attributes(n) })),
      );
      return `SQS: ${sqs}; SNS: ${sns}`;
    },
  },
  {
    id: 'SQS-21',
    question: 'The texts for 51 principals, and for 11 conditions in a statement',
    assumed:
      'OverLimit: 51 principals were found in a statement from the submitted policy, max allowed is 50; OverLimit: 11 conditions were found in a statement from the submitted policy, max allowed is 10',
    queues: { Queue: {} },
    ask: async aws => {
      const account = (await aws.queue('Queue').arn()).split(':')[4];
      const principals = Array.from({ length: 51 }, () => `arn:aws:iam::${account}:root`);
      const many = await refusal(aws.queue('Queue').set({ Policy: statements(1, { Principal: { AWS: principals } }) }));
      const eleven = await refusal(aws.queue('Queue').set({ Policy: statements(1, { Condition: conditions(11) }) }));
      return `${many}; ${eleven}`;
    },
  },
  {
    id: 'SQS-22',
    question: 'Do spaces of a policy count as bytes, and are statements counted first?',
    assumed:
      'spaces: OverLimit: Submitted policy is over max allowed size.; 60 statements of too many bytes: OverLimit: 60 statements were found in the submitted policy, max allowed is 20',
    queues: { Queue: {} },
    ask: async aws => {
      const spaces = await refusal(aws.queue('Queue').set({ Policy: spacedPolicy() }));
      const both = await refusal(aws.queue('Queue').set({ Policy: statements(60) }));
      return `spaces: ${spaces}; 60 statements of ${statements(60).length > 8_192 ? 'too many' : 'few'} bytes: ${both}`;
    },
  },
  {
    id: 'SQS-23',
    question: 'Is the limit of 10 conditions one for a statement? Is a list one condition?',
    assumed: 'twice six: accepted; a list of 25: accepted',
    queues: { Queue: {} },
    ask: async aws => {
      const list = { StringEquals: { 'aws:SourceAccount': Array.from({ length: 25 }, (_, i) => `v${i}`) } };
      const two = await refusal(aws.queue('Queue').set({ Policy: statements(2, { Condition: conditions(6) }) }));
      const listed = await refusal(aws.queue('Queue').set({ Policy: statements(1, { Condition: list }) }));
      return `twice six: ${two}; a list of 25: ${listed}`;
    },
  },
];
