import { createHmac } from 'node:crypto';
import { DynamoDB } from '@aws-sdk/client-dynamodb';
import { KMS } from '@aws-sdk/client-kms';
import { GetQueueAttributesCommand, SQS } from '@aws-sdk/client-sqs';
import { CfnOutput, Stack } from 'aws-cdk-lib';
import { Table } from 'aws-cdk-lib/aws-dynamodb';
import { Key } from 'aws-cdk-lib/aws-kms';
import { FleetClient } from '../../fleet';
import { RelayFleet, type RelayFleetProps } from '../../lib';
import { response } from '../../local';
import { assemblyOf, assemblyOfStack } from '../support/assembly';
import { Deployed } from '../support/deployed';
import { TABLE } from './fleet-account';

const NAME = { tenant: 'acme', endpoint: 'orders' };
const HOST = 'orders.acme.example';
const RESTORED = 'restored';

function addFleet(stack: Stack, props: RelayFleetProps = {}): void {
  const fleet = new RelayFleet(stack, 'Fleet', { fleetName: 'webhooks', ...props });
  new CfnOutput(stack, 'Settings', { value: fleet.settings });
}

describe('A fleet whose stack is deleted', () => {
  let deployed: Deployed;
  let dynamoDb: DynamoDB;
  let secret = '';
  let left: { readonly table: string; readonly key: string; readonly deadLetters: string; readonly events: string };

  const clientOf = () => {
    const config = deployed.aws.clientConfig();
    const machine = { nowMs: () => deployed.aws.nowMs };
    const settings = deployed.aws.output('Settings');
    return new FleetClient({ dynamoDb, kms: new KMS(config), sqs: new SQS(config), settings, machine });
  };

  beforeAll(async () => {
    deployed = await Deployed.assembly(
      assemblyOfStack(stack => addFleet(stack)),
      { seed: 1 },
    );
    dynamoDb = new DynamoDB(deployed.aws.clientConfig());
    left = {
      table: deployed.ref('Fleet/Table'),
      key: deployed.arn('Fleet/Key'),
      deadLetters: deployed.ref('Fleet/DeadLetterQueue'),
      events: deployed.ref('Fleet/Events'),
    };
    const client = clientOf();
    secret = (await client.put({ ...NAME, url: `https://${HOST}/hook`, types: ['paid'] })).secret ?? '';
    deployed.aws.endpoint(HOST).behave({ reply: response(503) });
    await deployed.send('Fleet/Events', 'no event');
    for (let number = 0; number < 24; number += 1) {
      await client.send({ tenant: 'acme', type: 'paid', data: { number } });
      await deployed.advance({ seconds: 5 });
    }
    await deployed.advance({ minutes: 5 });
    await deployed.aws.destroy('Test');
  });

  /** What AWS makes of a table that is restored: its items and indexes, without TTL, backups and protection. */
  async function restore(): Promise<void> {
    await dynamoDb.createTable({ ...TABLE, TableName: RESTORED });
    await deployed.advance({ minutes: 1 });
    const { Items = [] } = await dynamoDb.scan({ TableName: left.table });
    for (const Item of Items) await dynamoDb.putItem({ TableName: RESTORED, Item });
  }

  test('leaves its table, its key and its dead letters', async () => {
    const { Table: table } = await dynamoDb.describeTable({ TableName: left.table });
    expect(table).toMatchObject({ TableStatus: 'ACTIVE', DeletionProtectionEnabled: true });
    const { KeyMetadata: key } = await new KMS(deployed.aws.clientConfig()).describeKey({ KeyId: left.key });
    expect(key).toMatchObject({ KeyState: 'Enabled' });
    const AttributeNames = ['ApproximateNumberOfMessages' as const];
    const { Attributes } = await deployed.sqs.send(
      new GetQueueAttributesCommand({ QueueUrl: left.deadLetters, AttributeNames }),
    );
    expect(Attributes).toEqual({ ApproximateNumberOfMessages: '1' });
    await expect(
      deployed.sqs.send(new GetQueueAttributesCommand({ QueueUrl: left.events, AttributeNames })),
    ).rejects.toThrow('does not exist');
  });

  test('can be replaced by a fleet over its restored table, which continues its work with its secrets', async () => {
    await restore();
    const next = assemblyOf(app => {
      const stack = new Stack(app, 'Next');
      addFleet(stack, {
        table: Table.fromTableName(stack, 'Restored', RESTORED),
        key: Key.fromKeyArn(stack, 'Key', left.key),
      });
    });
    await deployed.aws.update(next);
    const client = clientOf();
    expect(await client.get(NAME)).toMatchObject({ health: 'open' });
    const host = deployed.aws.endpoint(HOST);
    const attempted = host.requests.length;
    host.behave();
    await client.send({ tenant: 'acme', type: 'paid', data: { number: 24 } });
    await deployed.advance({ minutes: 40 });
    expect(await client.get(NAME)).toMatchObject({ health: 'healthy' });
    const taken = host.requests
      .slice(attempted)
      .filter(({ reply }) => reply.kind === 'response' && reply.status === 200);
    const numbers = taken.map(({ text }) => JSON.parse(text).number);
    expect(new Set(numbers)).toEqual(new Set(Array.from({ length: 25 }, (_, number) => number)));
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
    for (const { headers, text } of taken) {
      const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${text}`;
      expect(headers['webhook-signature']).toBe(`v1,${createHmac('sha256', key).update(signed).digest('base64')}`);
    }
    expect((await client.attempts({ ...NAME, limit: 100 })).some(({ outcome }) => outcome === 'failed')).toBe(true);
  });
});
