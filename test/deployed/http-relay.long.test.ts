import type { Stack } from 'aws-cdk-lib';
import { DurableTopic, HttpRelay, OpsTopic, RelayEndpoint } from '../../lib';
import { response } from '../../local';
import { Deployed } from '../support/deployed';

const HOST = 'partner.example.com';
const DEAD = 'Relay/Queue/DeadLetterQueue';

function relaying(stack: Stack): void {
  const alarmActions = [new OpsTopic(stack, 'Ops', { email: 'ops@example.com' })];
  const endpoint = RelayEndpoint.fromUrl(`https://${HOST}/orders`);
  const relay = new HttpRelay(stack, 'Relay', { endpoint, alarmActions });
  new DurableTopic(stack, 'Orders', { alarmActions }).deliverToRelay('Partner', relay);
}

test('A relay with the default policy delivers a message after its endpoint was down for three days', async () => {
  const deployed = await Deployed.stack(relaying);
  const partner = deployed.aws.endpoint(HOST);
  partner.behave({ reply: response(503) });
  const messageId = await deployed.publish('Orders', 'order 7');
  await deployed.advance({ days: 3 });
  const failed = partner.requests.length;
  expect(failed).toBeGreaterThan(80);
  expect(await deployed.take(DEAD)).toEqual([]);
  partner.behave();
  await deployed.advance({ minutes: 70 });
  expect(partner.requests).toHaveLength(failed + 1);
  expect(JSON.parse(Buffer.from(partner.requests.at(-1)?.body ?? []).toString('utf8'))).toMatchObject({
    MessageId: messageId,
    Message: 'order 7',
  });
  await deployed.advance({ hours: 2 });
  expect(partner.requests).toHaveLength(failed + 1);
  expect(await deployed.receive('Relay/Queue')).toEqual([]);
  expect(await deployed.take(DEAD)).toEqual([]);
});
