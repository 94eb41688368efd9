import { DynamoDB } from '@aws-sdk/client-dynamodb';
import { KMS } from '@aws-sdk/client-kms';
import { App, CfnOutput, Stack } from 'aws-cdk-lib';
import { DurableTopic, OpsTopic, RelayFleet } from 'dead-letter-office';
import { FleetClient } from 'dead-letter-office/fleet';
import { LocalAws, response } from 'dead-letter-office/local';

/** The stack under test. Usually it is imported from your app. */
class WebhooksStack extends Stack {
  constructor(app: App, id: string) {
    super(app, id);
    const alarmActions = [new OpsTopic(this, 'Ops', { email: 'ops@example.com' })];
    const fleet = new RelayFleet(this, 'Fleet', { alarmActions });
    const events = new DurableTopic(this, 'Events', { alarmActions });
    events.deliverToFleet('ToCustomers', fleet);
    new CfnOutput(this, 'EventsArn', { value: events.topicArn });
    new CfnOutput(this, 'FleetSettings', { value: fleet.settings });
  }
}

test('a customer that is down gets its webhooks when it is back, and no other customer waits for it', async () => {
  const app = new App({ outdir: 'cdk.out/test' });
  new WebhooksStack(app, 'Webhooks');
  const aws = await LocalAws.deploy(app.synth(), { seed: 7 });
  const [acme, globex] = ['acme.example.com', 'globex.example.com'].map(host => aws.endpoint(host));

  // What your API does when a customer registers an endpoint.
  const config = aws.clientConfig();
  const settings = aws.output('FleetSettings');
  const machine = { nowMs: () => aws.nowMs };
  const fleet = new FleetClient({ dynamoDb: new DynamoDB(config), kms: new KMS(config), settings, machine });
  for (const tenant of ['acme', 'globex']) {
    await fleet.put({ tenant, endpoint: 'orders', url: `https://${tenant}.example.com/hooks`, types: ['order.paid'] });
  }

  acme?.behave({ reply: response(503) });
  for (const tenant of ['acme', 'globex']) {
    const attributes = { tenant, type: 'order.paid' };
    for (let order = 1; order <= 20; order += 1) {
      await aws.publish(aws.output('EventsArn'), { order }, { attributes });
    }
  }
  await aws.advance({ seconds: 5 });
  expect(globex?.requests).toHaveLength(20);
  expect(globex?.requests[0]?.headers).toMatchObject({ 'webhook-id': expect.any(String) });

  await aws.advance({ minutes: 5 });
  expect(await fleet.get({ tenant: 'acme', endpoint: 'orders' })).toMatchObject({ health: 'open' });
  const [attempt] = await fleet.attempts({ tenant: 'acme', endpoint: 'orders', limit: 1 });
  expect(attempt).toMatchObject({ outcome: 'failed', statusCode: 503, reason: 'the endpoint failed (503)' });

  acme?.behave();
  await aws.advance({ minutes: 10 });
  const delivered = acme?.requests.filter(({ reply }) => reply.kind === 'response' && reply.status === 200) ?? [];
  expect(new Set(delivered.map(({ text }) => text)).size).toBe(20);
  await aws.close();
});
