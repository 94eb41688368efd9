import { ReceiveMessageCommand, StartMessageMoveTaskCommand } from '@aws-sdk/client-sqs';
import { type App, AspectPriority, Aspects, CfnResource, Lazy, NestedStack, Stack, Stage } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { AccountRootPrincipal, Role } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import type { IConstruct } from 'constructs';
import { DeadLetterQueue, ProcessingQueue } from '../../lib';
import { assemblyOf } from '../support/assembly';
import { Deployed } from '../support/deployed';
import { newApp } from '../support/new-app';
import { assuming } from '../support/stack-use';

const newRole = (stack: Stack, id: string) => new Role(stack, id, { assumedBy: new AccountRootPrincipal() });

/** A source with a customer's key, whose messages SQS moves after the first receive. */
function newSource(stack: Stack, queue: DeadLetterQueue): ProcessingQueue {
  const encryptionMasterKey = new Key(stack, 'Key');
  return new ProcessingQueue(stack, 'Source', { encryptionMasterKey, deadLetterQueue: { queue, maxReceiveCount: 1 } });
}

/** Deploys, and lets the dead-letter queue have an order of each source. */
async function withDeadOrders(fill: (app: App) => void, sources: readonly string[]): Promise<Deployed> {
  const deployed = await Deployed.assembly(assemblyOf(fill));
  for (const source of sources) {
    await deployed.send(`/${source}/Source`, `order of ${source}`);
    expect(await deployed.receive(`/${source}/Source`)).toHaveLength(1);
    await deployed.advance({ minutes: 1 });
    expect(await deployed.receive(`/${source}/Source`)).toEqual([]);
  }
  return deployed;
}

async function look(deployed: Deployed, role: string): Promise<unknown> {
  const client = await assuming(deployed.aws, deployed.arn(role));
  const request = { QueueUrl: deployed.ref('/Shared/Dead'), VisibilityTimeout: 0, MaxNumberOfMessages: 10 };
  const { Messages = [] } = await client.send(new ReceiveMessageCommand(request));
  return Messages.map(({ Body }) => Body);
}

/** The statements on keys, by the stack that has them. */
function keyStatements(stacks: readonly Stack[]): readonly string[] {
  return stacks.flatMap(stack => {
    const policies = Object.values(Template.fromStack(stack).findResources('AWS::IAM::Policy'));
    const statements = policies.flatMap(it => it['Properties'].PolicyDocument.Statement as { Action: unknown }[]);
    return statements.filter(({ Action }) => Action === 'kms:Decrypt').map(() => stack.stackName);
  });
}

describe('readers of a dead-letter queue that stacks share may decrypt what comes from another stack', () => {
  test('where that stack depends on the one of the reader', async () => {
    const deployed = await withDeadOrders(
      app => {
        const [shared, work] = [new Stack(app, 'Shared'), new Stack(app, 'Work')];
        const dead = new DeadLetterQueue(shared, 'Dead');
        dead.grantPeek(newRole(shared, 'Peeker'));
        newSource(work, dead);
        dead.grantRedrive(newRole(shared, 'Redriver'), new Queue(shared, 'Lane'));
        expect(keyStatements([shared, work])).toEqual(['Work', 'Work']);
      },
      ['Work'],
    );
    expect(await look(deployed, '/Shared/Peeker')).toEqual(['order of Work']);
    const client = await assuming(deployed.aws, deployed.arn('/Shared/Redriver'));
    const task = { SourceArn: deployed.arn('/Shared/Dead'), DestinationArn: deployed.arn('/Shared/Lane') };
    await client.send(new StartMessageMoveTaskCommand(task));
    await deployed.advance({ minutes: 1 });
    expect(await deployed.take('/Shared/Lane')).toEqual(['order of Work']);
  });

  test('where each of two stacks has a reader, and a source with a key', async () => {
    const deployed = await withDeadOrders(
      app => {
        const [shared, a, b] = [new Stack(app, 'Shared'), new Stack(app, 'A'), new Stack(app, 'B')];
        const dead = new DeadLetterQueue(shared, 'Dead');
        for (const stack of [a, b]) dead.grantRedrive(newRole(stack, 'Redriver'), newSource(stack, dead));
        // Both permissions across stacks are in A, which depends on B.
        expect(keyStatements([a, b])).toEqual(['A', 'A']);
        expect([a.dependencies.includes(b), b.dependencies.includes(a)]).toEqual([true, false]);
      },
      ['A', 'B'],
    );
    for (const stack of ['A', 'B']) {
      expect(await look(deployed, `/${stack}/Redriver`)).toEqual(['order of A', 'order of B']);
    }
  });

  test('where the reader moves the messages to the stack of a source, and another source depends on the reader', () => {
    const app = newApp();
    const [shared, work, ops] = [new Stack(app, 'Shared'), new Stack(app, 'Work'), new Stack(app, 'Ops')];
    const dead = new DeadLetterQueue(shared, 'Dead');
    dead.grantRedrive(newRole(ops, 'Redriver'), newSource(work, dead));
    const late = new Stack(app, 'Late');
    late.node.addDependency(ops);
    newSource(late, dead);
    expect(keyStatements([shared, work, ops, late])).toEqual(['Late']);
  });

  test('where the stacks are in a stage, or nested in one stack', () => {
    const app = newApp();
    const stage = new Stage(app, 'Stage');
    const [shared, top] = [new Stack(stage, 'Shared'), new Stack(stage, 'Top')];
    const dead = new DeadLetterQueue(shared, 'Dead');
    dead.grantPeek(newRole(shared, 'Peeker'));
    const nested = new NestedStack(top, 'Nested');
    const nestedRole = newRole(new NestedStack(top, 'Readers'), 'Peeker');
    dead.grantPeek(nestedRole);
    newSource(nested, dead);
    expect(() => app.synth()).not.toThrow();
    expect(keyStatements([nested])).toHaveLength(1);
    expect(shared.dependencies).toEqual([]);
  });
});

test('what aspects change later in the tree is not fixed when the grants look at it', () => {
  const app = newApp();
  const [shared, work] = [new Stack(app, 'Shared'), new Stack(app, 'Work')];
  const dead = new DeadLetterQueue(shared, 'Dead');
  dead.grantPeek(newRole(shared, 'Peeker'));
  newSource(work, dead);
  let value = 'early';
  const properties = { Value: Lazy.string({ produce: () => value }) };
  new CfnResource(work, 'Late', { type: 'Test::Lazy::Value', properties });
  const visit = (node: IConstruct) => {
    if (node.node.path === 'Work/Late') value = 'late';
  };
  Aspects.of(app).add({ visit }, { priority: AspectPriority.MUTATING });
  Template.fromStack(work).hasResourceProperties('Test::Lazy::Value', { Value: 'late' });
});

test('readers may decrypt what comes from a plain queue that is created after the grant', async () => {
  const deployed = await withDeadOrders(
    app => {
      const shared = new Stack(app, 'Shared');
      const dead = new DeadLetterQueue(shared, 'Dead');
      dead.grantPeek(newRole(shared, 'Peeker'));
      const encryptionMasterKey = new Key(shared, 'Key');
      new Queue(shared, 'Source', { encryptionMasterKey, deadLetterQueue: { queue: dead, maxReceiveCount: 1 } });
    },
    ['Shared'],
  );
  expect(await look(deployed, '/Shared/Peeker')).toEqual(['order of Shared']);
});
