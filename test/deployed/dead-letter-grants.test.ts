import {
  CancelMessageMoveTaskCommand,
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  ListMessageMoveTasksCommand,
  ReceiveMessageCommand,
  type SQSClient,
  StartMessageMoveTaskCommand,
} from '@aws-sdk/client-sqs';
import { Stack } from 'aws-cdk-lib';
import { AccountRootPrincipal, Role } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { DeadLetterAccess, DeadLetterQueue, ImportedDeadLetterQueue, ProcessingQueue } from '../../lib';
import { assemblyOf, assemblyOfStack } from '../support/assembly';
import { Deployed } from '../support/deployed';
import { assuming, attempt } from '../support/everyday-use';
import { superfluousGrants } from '../support/least-privilege';

const MESSAGES = 5;

/** A queue, its dead letters, where they are to go, each with a key of its own, and a role for each grant. */
function fill(stack: Stack): void {
  const key = (id: string) => ({ encryptionMasterKey: new Key(stack, `${id}Key`) });
  const role = (id: string) => new Role(stack, id, { assumedBy: new AccountRootPrincipal() });
  const queue = new DeadLetterQueue(stack, 'Dead', key('Dead'));
  new ProcessingQueue(stack, 'Source', { deadLetterQueue: { queue, maxReceiveCount: 5 } });
  queue.grantRedrive(role('Redriver'), new Queue(stack, 'Lane', key('Lane')));
  queue.grantPeek(role('Peeker'));
}

/** Begins to move what is dead, looks on, has second thoughts, and moves the rest. */
async function redrive(deployed: Deployed, client: SQSClient): Promise<readonly string[]> {
  const SourceArn = deployed.arn('Dead');
  const start = (MaxNumberOfMessagesPerSecond: number) =>
    client.send(
      new StartMessageMoveTaskCommand({
        SourceArn,
        DestinationArn: deployed.arn('Lane'),
        MaxNumberOfMessagesPerSecond,
      }),
    );
  let TaskHandle = '';
  const lines = [
    await attempt('start', async () => {
      TaskHandle = (await start(1)).TaskHandle ?? '';
    }),
    await attempt('watch', () => client.send(new ListMessageMoveTasksCommand({ SourceArn }))),
  ];
  await deployed.advance({ seconds: 2 });
  if (TaskHandle) {
    lines.push(await attempt('cancel', () => client.send(new CancelMessageMoveTaskCommand({ TaskHandle }))));
  }
  await deployed.advance({ minutes: 1 });
  lines.push(await attempt('start again', () => start(500)));
  await deployed.advance({ minutes: 1 });
  const moved = (await deployed.take('Lane')).length;
  return [...lines, `${moved} moved`];
}

/** Looks at a dead letter and puts it back, and tries to take it out. */
async function peek(deployed: Deployed, client: SQSClient): Promise<readonly string[]> {
  const QueueUrl = deployed.ref('Dead');
  let ReceiptHandle: string | undefined;
  return [
    await attempt('find', () => client.send(new GetQueueUrlCommand({ QueueName: deployed.name('Dead') }))),
    await attempt('count', () => client.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] }))),
    await attempt('look', async () => {
      const { Messages: [message] = [] } = await client.send(new ReceiveMessageCommand({ QueueUrl }));
      ReceiptHandle = message?.ReceiptHandle;
    }),
    await attempt('put back', () =>
      client.send(new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout: 0 })),
    ),
    await attempt('take out', () => client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }))),
  ];
}

async function use(deployed: Deployed): Promise<readonly string[]> {
  for (let message = 0; message < MESSAGES; message += 1) await deployed.send('Dead', `letter ${message}`);
  const [redriver, peeker] = [deployed.arn('Redriver'), deployed.arn('Peeker')];
  return [
    ...(await peek(deployed, await assuming(deployed.aws, peeker))),
    ...(await redrive(deployed, await assuming(deployed.aws, redriver))),
  ];
}

describe('Who may', () => {
  test('peek looks at dead letters and puts them back, who may redrive moves them, and nothing else', async () => {
    const deployed = await Deployed.stack(fill);
    expect(await use(deployed)).toEqual([
      'find: done',
      'count: done',
      'look: done',
      'put back: done',
      'take out: AccessDenied',
      'start: done',
      'watch: done',
      'cancel: done',
      'start again: done',
      `${MESSAGES} moved`,
    ]);
    const redriver = await assuming(deployed.aws, deployed.arn('Redriver'));
    const elsewhere = { SourceArn: deployed.arn('Dead'), DestinationArn: deployed.arn('Source') };
    await deployed.send('Dead', 'letter');
    await redriver.send(new StartMessageMoveTaskCommand(elsewhere));
    await deployed.advance({ minutes: 1 });
    expect(await deployed.take('Source')).toEqual([]);
  });

  test('could not without any one of the permissions', async () => {
    expect(await superfluousGrants(assemblyOfStack(fill), { grain: 'action', more: use })).toEqual([]);
  });

  test('redrive a queue of another stack, too', async () => {
    const assembly = assemblyOf(app => {
      new Queue(new Stack(app, 'Elsewhere'), 'Dead', { queueName: 'dead' });
      const stack = new Stack(app, 'Test');
      const queue = new ImportedDeadLetterQueue(stack, 'DeadLetters', {
        queue: Queue.fromQueueArn(stack, 'Dead', 'arn:aws:sqs:us-east-1:123456789012:dead'),
        access: DeadLetterAccess.GRANTED_ELSEWHERE,
      });
      new ProcessingQueue(stack, 'Source', { deadLetterQueue: { queue, maxReceiveCount: 5 } });
      queue.grantRedrive(
        new Role(stack, 'Redriver', { assumedBy: new AccountRootPrincipal() }),
        new Queue(stack, 'Lane'),
      );
    });
    const deployed = await Deployed.assembly(assembly);
    await deployed.send('/Elsewhere/Dead', 'letter');
    const redriver = await assuming(deployed.aws, deployed.arn('Redriver'));
    const SourceArn = deployed.arn('/Elsewhere/Dead');
    await redriver.send(new StartMessageMoveTaskCommand({ SourceArn, DestinationArn: deployed.arn('Lane') }));
    await deployed.advance({ minutes: 1 });
    expect(await deployed.take('Lane')).toEqual(['letter']);
  });
});
