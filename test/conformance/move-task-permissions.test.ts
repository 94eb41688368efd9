import { CreateRoleCommand, PutRolePolicyCommand } from '@aws-sdk/client-iam';
import { CreateKeyCommand } from '@aws-sdk/client-kms';
import { SQSClient } from '@aws-sdk/client-sqs';
import { AssumeRoleCommand, STSClient } from '@aws-sdk/client-sts';
import { numbered, Redrive } from './redrive';
import { embeddedRow, Target } from './target';

/** What it takes to redrive, by whether it is about the dead-letter queue, the destination or their keys. */
const ON_SOURCE = ['StartMessageMoveTask', 'ReceiveMessage', 'DeleteMessage', 'GetQueueAttributes'].map(
  name => `sqs:${name}`,
);
const ON_DESTINATION = ['sqs:SendMessage'];
const TO_WATCH = ['sqs:ListMessageMoveTasks', 'sqs:CancelMessageMoveTask'];

interface Statement {
  readonly actions: readonly string[];
  readonly resource: string;
}

const policyOf = (statements: readonly Statement[]) => ({
  Version: '2012-10-17',
  Statement: statements
    .filter(({ actions }) => actions.length > 0)
    .map(({ actions, resource }) => ({ Effect: 'Allow', Action: actions, Resource: resource })),
});

/** A client that may do just this. Roles are this world's own: on a real account they take a while to be known everywhere. */
async function clientThatMay(aws: Target, statements: readonly Statement[]): Promise<SQSClient> {
  const RoleName = aws.name('redrive');
  const trust = { Effect: 'Allow', Principal: { AWS: aws.embedded.place.account }, Action: 'sts:AssumeRole' };
  const AssumeRolePolicyDocument = JSON.stringify({ Version: '2012-10-17', Statement: trust });
  const { Role } = await aws.iam.send(new CreateRoleCommand({ RoleName, AssumeRolePolicyDocument }));
  const PolicyDocument = JSON.stringify(policyOf(statements));
  await aws.iam.send(new PutRolePolicyCommand({ RoleName, PolicyName: 'redrive', PolicyDocument }));
  const sts = aws.client(settings => new STSClient(settings));
  const asked = new AssumeRoleCommand({ RoleArn: Role?.Arn, RoleSessionName: 'redrive' });
  const { AccessKeyId = '', SecretAccessKey = '', SessionToken = '' } = (await sts.send(asked)).Credentials ?? {};
  const credentials = { accessKeyId: AccessKeyId, secretAccessKey: SecretAccessKey, sessionToken: SessionToken };
  return aws.client(settings => new SQSClient({ ...settings, credentials }));
}

const without = (actions: readonly string[], action: string) => actions.filter(name => name !== action);

describe('section 9: the permissions of a move task', () => {
  const aws = new Target();

  /** Dead letters, and somebody who may redrive them but for `missing`. */
  async function lacking(missing: string) {
    const redrive = await Redrive.of(aws);
    await redrive.deadLetter(numbered(4));
    const caller = await clientThatMay(aws, [
      { actions: without([...ON_SOURCE, ...TO_WATCH], missing), resource: redrive.messages.arn },
      { actions: without(ON_DESTINATION, missing), resource: redrive.orders.arn },
    ]);
    return { redrive, theirs: redrive.as(caller) };
  }

  embeddedRow('are enough to redrive, to list and to cancel', async () => {
    const { redrive, theirs } = await lacking('nothing');
    const handle = await theirs.start({ MaxNumberOfMessagesPerSecond: 1 });
    expect(await theirs.list()).toMatchObject([{ TaskHandle: handle }]);
    await theirs.cancel(handle);
    await aws.pass(60);
    expect(await theirs.run()).toMatchObject({ Status: 'COMPLETED' });
    expect(await redrive.orders.depths()).toEqual([4, 0, 0]);
  });

  embeddedRow.each(ON_SOURCE)('include %s on the dead-letter queue', async action => {
    const { redrive, theirs } = await lacking(action);
    await expect(theirs.start()).rejects.toMatchObject({ name: 'AccessDenied', $metadata: { httpStatusCode: 403 } });
    expect(await redrive.list()).toEqual([]);
  });

  embeddedRow('include sqs:SendMessage on the destination', async () => {
    const { redrive, theirs } = await lacking('sqs:SendMessage');
    expect(await theirs.run()).toMatchObject({ Status: 'FAILED', FailureReason: 'AccessDenied' });
    expect(await redrive.messages.depths()).toEqual([4, 0, 0]);
  });

  embeddedRow('include sqs:ListMessageMoveTasks to list', async () => {
    const { theirs } = await lacking('sqs:ListMessageMoveTasks');
    await theirs.start();
    await expect(theirs.list()).rejects.toMatchObject({ name: 'AccessDenied' });
  });

  embeddedRow('include sqs:CancelMessageMoveTask to cancel', async () => {
    const { redrive, theirs } = await lacking('sqs:CancelMessageMoveTask');
    const handle = await theirs.start({ MaxNumberOfMessagesPerSecond: 1 });
    await expect(theirs.cancel(handle)).rejects.toMatchObject({ name: 'AccessDenied' });
    expect(await redrive.task()).toMatchObject({ Status: 'RUNNING' });
  });
});

describe('section 9: the permissions of a move task between encrypted queues', () => {
  const aws = new Target();

  async function encrypted(queue: Redrive['orders']): Promise<string> {
    const { KeyMetadata } = await aws.kms.send(new CreateKeyCommand({}));
    await queue.set({ KmsMasterKeyId: KeyMetadata?.KeyId ?? '' });
    return KeyMetadata?.Arn ?? '';
  }

  /** As above, with a key on each side. */
  async function lacking(ofSource: readonly string[], ofDestination: readonly string[]): Promise<Redrive> {
    const redrive = await Redrive.of(aws);
    const [source, destination] = [await encrypted(redrive.messages), await encrypted(redrive.orders)];
    await redrive.deadLetter(['order']);
    const caller = await clientThatMay(aws, [
      { actions: [...ON_SOURCE, ...TO_WATCH], resource: redrive.messages.arn },
      { actions: ON_DESTINATION, resource: redrive.orders.arn },
      { actions: ofSource, resource: source },
      { actions: ofDestination, resource: destination },
    ]);
    return redrive.as(caller);
  }

  embeddedRow('include kms:Decrypt of the source key, kms:GenerateDataKey and kms:Decrypt of the other', async () => {
    const redrive = await lacking(['kms:Decrypt'], ['kms:GenerateDataKey', 'kms:Decrypt']);
    expect(await redrive.run()).toMatchObject({ Status: 'COMPLETED', ApproximateNumberOfMessagesMoved: 1 });
  });

  embeddedRow('do not begin a task without kms:Decrypt of the source key', async () => {
    const redrive = await lacking([], ['kms:GenerateDataKey', 'kms:Decrypt']);
    await expect(redrive.start()).rejects.toMatchObject({ name: 'KmsAccessDenied' });
  });

  embeddedRow.each([[['kms:GenerateDataKey']], [['kms:Decrypt']]])(
    'let a task fail that has %j alone of the destination key',
    async ofDestination => {
      const redrive = await lacking(['kms:Decrypt'], ofDestination);
      expect(await redrive.run()).toMatchObject({ Status: 'FAILED', ApproximateNumberOfMessagesMoved: 0 });
    },
  );
});
